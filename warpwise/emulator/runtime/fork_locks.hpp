#pragma once

#include <new>

namespace warpwise::emulator::runtime {

/// A lock of the runtime, with the functions that fork() needs.
struct ForkLock {
  void* lock = nullptr;
  bool (*try_to_take)(void* lock) = nullptr;
  void (*release)(void* lock) = nullptr;
  void (*make_anew)(void* lock) = nullptr;
};
void add_fork_lock(const ForkLock& lock);

/// Makes fork() wait until no other thread holds the lock. The child then finds the lock free and
/// its data complete. The thread that calls fork() may hold the lock if it is recursive. After ten
/// seconds fork() goes on without the lock and says so on standard error. The child then finds the
/// lock free, but the data that the lock guards may be half changed.
/// \param lock  never destroyed
template <class Lock>
void keep_free_in_children(Lock& lock) {
  add_fork_lock({&lock, [](void* own) { return static_cast<Lock*>(own)->try_lock(); },
                 [](void* own) { static_cast<Lock*>(own)->unlock(); },
                 // The child makes the lock anew, because a thread of the parent owns it.
                 [](void* own) { ::new (own) Lock; }});
}

}  // namespace warpwise::emulator::runtime
