// This file is empty: CMake needs a source to which the precompiled header belongs.
