"""Uses the installed wheel. An edge of height 9 has a gradient of 4 * 9. Without a GPU, an error says so."""
import numpy
import warpwise

page = numpy.zeros((48, 64), numpy.uint8)
page[:, 32:] = 9
edges = warpwise.sobel(page)
assert edges.shape == page.shape and (edges[:, 31:33] == 36).all() and edges.sum() == 48 * 2 * 36, edges
assert (warpwise.threshold(page, window=31, offset=7) <= 255).all()
print(warpwise.device_count(), warpwise.why_no_device())
