# Finds the libraries of image formats that are installed, as the targets PNG::PNG, JPEG::JPEG, TIFF::TIFF and WebP::webp
# (with libwebpdemux).
find_package(PNG)
find_package(JPEG)
find_package(TIFF 4.5)  # from 4.5 on, messages about a file go to the code that reads it
find_path(WEBP_INCLUDE_DIR webp/decode.h)
find_library(WEBP_LIBRARY webp)
find_library(WEBPDEMUX_LIBRARY webpdemux)
mark_as_advanced(WEBP_INCLUDE_DIR WEBP_LIBRARY WEBPDEMUX_LIBRARY)
if(WEBP_INCLUDE_DIR AND WEBP_LIBRARY AND WEBPDEMUX_LIBRARY AND NOT TARGET WebP::webp)
  add_library(WebP::webp UNKNOWN IMPORTED)
  set_target_properties(WebP::webp PROPERTIES IMPORTED_LOCATION ${WEBP_LIBRARY}
                                              INTERFACE_LINK_LIBRARIES ${WEBPDEMUX_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${WEBP_INCLUDE_DIR})
endif()
