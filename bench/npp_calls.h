#pragma once

// The boundary between the benches and the library built from npp_peer.cpp: plain C, no headers.

#ifdef __cplusplus
extern "C" {
#endif

struct NppPeerImage {
  void* data;
  int pitch_bytes;
};

/// Each returns NPP's own status, 0 for success; `stream` is a cudaStream_t.
int npp_peer_rgb_to_ycbcr_c3(NppPeerImage src, NppPeerImage dst, int width, int height,
                             void* stream);
int npp_peer_rgb_to_ycbcr_ac4(NppPeerImage src, NppPeerImage dst, int width, int height,
                              void* stream);
int npp_peer_sobel_horizontal(NppPeerImage src, NppPeerImage dst, int width, int height,
                              void* stream);
int npp_peer_threshold_adaptive_box(NppPeerImage src, NppPeerImage dst, int width, int height,
                                    int window, float delta, void* stream);

#ifdef __cplusplus
}
#endif
