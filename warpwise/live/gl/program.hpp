#pragma once

namespace warpwise::live::gl {

/// Shaders as a program of the current OpenGL context; the caller deletes it. \throws IoError  the
/// driver refuses them; its words.
unsigned link_program(const char* vertex_shader, const char* fragment_shader);

}  // namespace warpwise::live::gl
