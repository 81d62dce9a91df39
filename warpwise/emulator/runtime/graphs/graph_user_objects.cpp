// User objects, which live as long as the graphs that use them.

#include <algorithm>
#include <utility>

#include "warpwise/emulator/runtime/graphs/graph.hpp"

namespace warpwise::emulator::runtime {
namespace {

void release(cudaUserObject_t object, unsigned int count) {
  if (object->references.fetch_sub(count) != count) return;
  object->destroy(object->data);
  delete object;
}

}  // namespace

UserReference::UserReference(cudaUserObject_t object) : object_(object) {
  object_->references += 1;
}
UserReference::UserReference(const UserReference& other) : UserReference(other.object_) {}
UserReference& UserReference::operator=(UserReference other) {
  std::swap(object_, other.object_);
  return *this;
}
UserReference::~UserReference() { release(object_, 1); }

}  // namespace warpwise::emulator::runtime

using namespace warpwise::emulator::runtime;

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy,
                                 unsigned int count, unsigned int) {
  if (object == nullptr || destroy == nullptr || count == 0) return report(cudaErrorInvalidValue);
  *object = new CUuserObject_st{destroy, data, count};
  return cudaSuccess;
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  object->references += count;
  return cudaSuccess;
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  if (count > object->references) return report(cudaErrorInvalidValue);
  release(object, count);
  return cudaSuccess;
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags) {
  for (unsigned int i = 0; i < count; ++i) graph->user_objects.emplace_back(object);
  // Moves the caller's references to the graph.
  if ((flags & cudaGraphUserObjectMove) != 0) release(object, count);
  return cudaSuccess;
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count) {
  std::vector<UserReference>& own = graph->user_objects;
  const auto is_object = [&](const UserReference& each) { return each.object() == object; };
  if (std::count_if(own.begin(), own.end(), is_object) < static_cast<std::ptrdiff_t>(count))
    return report(cudaErrorInvalidValue);
  for (; count > 0; --count) own.erase(std::find_if(own.begin(), own.end(), is_object));
  return cudaSuccess;
}

}  // extern "C"
