"""Pipelines for millions of pictures and videos: an actor for Ray Data, and `process` for files on a cluster.

`python -m warpwise.ray INPUTS... OUT --pipeline "sobel | threshold window=31" --cluster local` runs `process`.
Needs `pip install 'warpwise[ray]'`.
"""

from ._actor import PipelineActor
from ._process import Counts, process

__all__ = ["Counts", "PipelineActor", "process"]
