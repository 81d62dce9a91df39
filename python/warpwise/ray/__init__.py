"""Pictures and videos by the million: an actor for Ray Data, and the run of files through a pipeline on a cluster.

`python -m warpwise.ray INPUTS... OUT --pipeline "sobel | threshold window=31" --cluster local` is `process` as a command. Needs
`pip install 'warpwise[ray]'`.
"""

from ._actor import PipelineActor
from ._process import Counts, process

__all__ = ["Counts", "PipelineActor", "process"]
