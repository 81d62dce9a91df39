class OnlyDlpack:
    """An array that only has DLPack, in the given versions."""

    def __init__(self, array, versioned):
        self.array, self.versioned, self.asked = array, versioned, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **how):
        self.asked.append(how)
        if not self.versioned and "max_version" in how:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**how)
