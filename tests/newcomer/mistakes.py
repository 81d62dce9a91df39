"""A beginner's mistakes: the command typed, in a folder with samples/ and the results of the pages' commands, the
expected exit code, and words of the one line on standard error."""

FAILED, USAGE = 1, 2

MISTAKES = [
    ("warpwise sobell samples/building.jpg edges.png", USAGE, ["did you mean \"sobel\"?"]),
    ("warpwise help sobell", USAGE, ["did you mean \"sobel\"?"]),
    ("warpwise blur samples/building.jpg blurred.png",
     USAGE, ["a subcommand is needed, not 'blur'", "sobel", "threshold"]),
    ("warpwise sobel", USAGE, ["IN... OUT"]),
    ("warpwise sobel samples/building.jpg", USAGE, ["IN... OUT"]),
    ("warpwise sobel samples/building.jpg out.png --kernal scharr", USAGE, ["--kernal", "--help"]),
    ("warpwise sobel samples/building.jpg out.png --kernel prewitt", USAGE, ["'prewitt'", "sobel, scharr"]),
    ("warpwise threshold samples/sudoku.png out.png --window 30", USAGE, ["--window", "odd"]),
    ("warpwise convert samples/building.jpg out.png", USAGE, ["--to FMT"]),
    ("warpwise convert samples/building.jpg out.png --to rgb", USAGE, ["rgb24"]),
    ("warpwise sobel samples/building.jpg out.png --output dx", USAGE, ["i16", ".tiff", ".npy"]),
    ("warpwise sobel samples/building.jpg out", USAGE, ["out cannot hold", ".png"]),
    ("warpwise sobel samples/building.jpg samples/sudoku.png out.png",
     USAGE, ["out.png", "several inputs need an output folder"]),
    ("warpwise sobel samples/house.jpg out.png", FAILED, ["samples/house.jpg", "No such file"]),
    ("warpwise sobel samples/README.md out.png", FAILED, ["samples/README.md", "no image"]),
    ("warpwise sobel none edges", FAILED, ["none", "no picture"]),
    ("warpwise sobel samples/street.avi out.png", USAGE, ["out.png is one picture", "a folder"]),
    ("warpwise sobel frame.raw out.png", USAGE, ["frame.raw", "--from", "--size"]),
    ("warpwise convert frame.raw out.png --from ycbcr32 --size 584x387 --to rgb24", FAILED, ["frame.raw", "bytes"]),
    ("warpwise match samples/building.jpg samples/sudoku.png out.png", FAILED, ["868x600", "558x563"]),
    ("warpwise match samples/rubberwhale1.png samples/rubberwhale2.png out.jpg", USAGE, [".flo", ".csv", ".png"]),
    ("warpwise disparity samples/aloeL.jpg samples/aloeR.jpg out.jpg", USAGE, [".png", ".pfm"]),
    ("warpwise find samples/rubberwhale2.png samples/rubberwhale-part.png", FAILED, ["template"]),
    ("warpwise track samples/rubberwhale1.png samples/rubberwhale2.png out.csv", USAGE, ["--box"]),
    ("warpwise gemv samples/vector.npy samples/matrix.npy out.npy",
     FAILED, ["samples/vector.npy", "(height, width)"]),
    ("warpwise sobel samples/building.jpg out.png --threads 0", USAGE, ["--threads"]),
    ("warpwise explain examples/transpose.cu --grid 8,8 --block 32,32",
     USAGE, ["--kernel NAME", "transpose_naive, transpose_tiled"]),
    ("warpwise explain examples/transposed.cu --grid 1 --block 32", FAILED, ["examples/transposed.cu"]),
    ("warpwise lab rnu sobel", USAGE, ["did you mean \"run\"?"]),
    ("warpwise lab run sobl", USAGE, ["did you mean \"sobel\"?"]),
]

# Command lines without the quotes that the pages give them, and zsh's error for each.
OF_ZSH = [("warpwise explain examples/transpose.cu --arg f32[65536]", ["no matches found: f32[65536]"])]
