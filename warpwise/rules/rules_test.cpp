#include "warpwise/rules/rules.hpp"
