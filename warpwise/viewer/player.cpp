#include "warpwise/viewer/player.hpp"

namespace warpwise::viewer {
namespace {

constexpr double rate_of_pictures = 25;  // for sources of unknown rate
constexpr auto patience = std::chrono::milliseconds(300);

}  // namespace

Player::Player(std::shared_ptr<live::Source> source, std::shared_ptr<Computation> computation,
               std::shared_ptr<Clip> clip, std::optional<std::int64_t> frames,
               std::function<void()> notify)
    : source_(std::move(source)), clip_(std::move(clip)), frames_(frames),
      notify_(std::move(notify)), next_(std::move(computation)) {}

void Player::play() {
  bool goes_on = true;
  while (goes_on) {
    try {
      play_on();
      goes_on = false;
    } catch (...) {
      fail(std::current_exception());
    }
    notify_();
  }
  const std::scoped_lock lock(mutex_);
  has_returned_ = true;
  changed_.notify_all();
}

void Player::play_on() {
  while (true) {
    const Task task = wait_for_task();
    if (task == Task::stop) return;
    if (task == Task::compute_again) {
      compute_again();
    } else if (!read_frame()) {
      const std::scoped_lock lock(mutex_);
      state_.has_ended = true;
    }
    notify_();
  }
}

// A new computation first shows the last frame, because the next frame may take long to arrive.
Player::Task Player::wait_for_task() {
  std::unique_lock lock(mutex_);
  const auto is_old = [&] { return newest_.number > 0 && newest_.computation != next_; };
  const auto may_read = [&] { return !state_.has_ended && (!state_.is_paused || steps_ > 0); };
  while (true) {
    changed_.wait(lock, [&] { return is_stopped_ || is_old() || may_read(); });
    if (is_stopped_) return Task::stop;
    if (is_old()) return Task::compute_again;
    if (steps_ > 0) {
      --steps_;
      return Task::read;
    }
    const bool is_interrupted = changed_.wait_until(
        lock, due_, [&] { return is_stopped_ || is_old() || state_.is_paused; });
    if (is_interrupted) continue;
    set_next_due();
    return Task::read;
  }
}

// Sets the time at which the next frame is read, by the source's rate. A camera keeps its own pace.
// After a delay of more than a frame's time, the next frames keep their usual interval.
void Player::set_next_due() {
  if (source_->is_live()) return;
  const live::Rate rate = source_->stream().rate;
  const std::chrono::duration<double> period(
      1 / (rate.is_known() ? rate.per_second() : rate_of_pictures));
  const Clock::time_point now = Clock::now();
  if (now > due_ + period) due_ = now;
  due_ += std::chrono::duration_cast<Clock::duration>(period);
}

Player::Place Player::free_place() {
  const std::scoped_lock lock(mutex_);
  return {next_, next_->other_than(newest_.frame, taken_.frame)};
}

bool Player::read_frame() {
  const Place place = free_place();
  if (!place.frame.read(*source_)) return false;
  place.frame.compute();
  clip_->add(place.computation, place.frame);
  const std::scoped_lock lock(mutex_);
  newest_ = {place.computation, &place.frame, ++state_.read};
  return !frames_ || state_.read < *frames_;
}

void Player::compute_again() {
  const Place place = free_place();
  place.frame.copy_source_from(*newest_.frame);  // only this thread changes newest_
  place.frame.compute();
  const std::scoped_lock lock(mutex_);
  newest_ = {place.computation, &place.frame, newest_.number};
}

// Records the failure and returns to the computation that worked.
void Player::fail(std::exception_ptr failure) {
  const std::scoped_lock lock(mutex_);
  state_.failure = std::move(failure);
  state_.has_ended = true;
  if (newest_.number > 0) next_ = newest_.computation;
}

Shown Player::newest() {
  const std::scoped_lock lock(mutex_);
  taken_ = newest_;
  return taken_;
}

void Player::replace(std::shared_ptr<Computation> computation) {
  const std::scoped_lock lock(mutex_);
  next_ = std::move(computation);
  changed_.notify_all();
}

void Player::toggle_pause() {
  const std::scoped_lock lock(mutex_);
  state_.is_paused = !state_.is_paused;
  due_ = Clock::now();
  changed_.notify_all();
}

void Player::step() {
  const std::scoped_lock lock(mutex_);
  state_.is_paused = true;
  ++steps_;
  changed_.notify_all();
}

void Player::stop() {
  const std::scoped_lock lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

bool Player::wait_for_end() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return has_returned_; });
}

Player::State Player::state() {
  const std::scoped_lock lock(mutex_);
  return state_;
}

PlayerThread::PlayerThread(std::shared_ptr<Player> player)
    : player_(std::move(player)), thread_([player = player_] { player->play(); }) {}

PlayerThread::~PlayerThread() {
  player_->stop();
  if (player_->wait_for_end()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

}  // namespace warpwise::viewer
