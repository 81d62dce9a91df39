// Compares the layouts of cupti.hpp with NVIDIA's headers, if these are installed.
#include <gtest/gtest.h>

#include "warpwise/lab/measure/cupti.hpp"

#if __has_include(<cupti_range_profiler.h>) && __has_include(<cuda.h>)

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

namespace warpwise::lab::cupti {
namespace {

#define SIZE(OURS, THEIRS) static_assert(size_of<OURS> == THEIRS##_STRUCT_SIZE)
#define PLACE(OURS, MEMBER, THEIRS, THEIR_MEMBER)                          \
  static_assert(offsetof(OURS, MEMBER) == offsetof(THEIRS, THEIR_MEMBER)); \
  static_assert(sizeof(OURS::MEMBER) == sizeof(THEIRS::THEIR_MEMBER))

// NOLINTBEGIN(bugprone-sizeof-expression): the sizes of pointers are meant.
SIZE(Plain, CUpti_Profiler_Initialize_Params);
SIZE(ChipName, CUpti_Device_GetChipName_Params);
PLACE(ChipName, device, CUpti_Device_GetChipName_Params, deviceIndex);
PLACE(ChipName, name, CUpti_Device_GetChipName_Params, pChipName);
SIZE(HostInitialize, CUpti_Profiler_Host_Initialize_Params);
PLACE(HostInitialize, profiler_type, CUpti_Profiler_Host_Initialize_Params, profilerType);
PLACE(HostInitialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
PLACE(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
SIZE(HostOnly, CUpti_Profiler_Host_Deinitialize_Params);
PLACE(HostOnly, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
SIZE(AddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params);
PLACE(AddMetrics, host, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject);
PLACE(AddMetrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
PLACE(AddMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
SIZE(ConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params);
PLACE(ConfigImageSize, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject);
PLACE(ConfigImageSize, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
SIZE(ConfigImage, CUpti_Profiler_Host_GetConfigImage_Params);
PLACE(ConfigImage, host, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject);
PLACE(ConfigImage, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
PLACE(ConfigImage, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
SIZE(PassCount, CUpti_Profiler_Host_GetNumOfPasses_Params);
PLACE(PassCount, bytes, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize);
PLACE(PassCount, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
PLACE(PassCount, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
SIZE(Evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
PLACE(Evaluate, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject);
PLACE(Evaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
PLACE(Evaluate, bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params, counterDataImageSize);
PLACE(Evaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
PLACE(Evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
PLACE(Evaluate, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
PLACE(Evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
SIZE(Enable, CUpti_RangeProfiler_Enable_Params);
PLACE(Enable, context, CUpti_RangeProfiler_Enable_Params, ctx);
PLACE(Enable, profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
SIZE(ProfilerOnly, CUpti_RangeProfiler_Disable_Params);
PLACE(ProfilerOnly, profiler, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject);
SIZE(ProfilerOnly, CUpti_RangeProfiler_Start_Params);
PLACE(ProfilerOnly, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
SIZE(DataSize, CUpti_RangeProfiler_GetCounterDataSize_Params);
PLACE(DataSize, profiler, CUpti_RangeProfiler_GetCounterDataSize_Params, pRangeProfilerObject);
PLACE(DataSize, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
PLACE(DataSize, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics);
PLACE(DataSize, most_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges);
PLACE(DataSize, most_tree_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params,
      maxNumRangeTreeNodes);
PLACE(DataSize, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
SIZE(InitializeData, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
PLACE(InitializeData, profiler, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
      pRangeProfilerObject);
PLACE(InitializeData, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
      counterDataSize);
PLACE(InitializeData, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);
SIZE(SetConfig, CUpti_RangeProfiler_SetConfig_Params);
PLACE(SetConfig, profiler, CUpti_RangeProfiler_SetConfig_Params, pRangeProfilerObject);
PLACE(SetConfig, config_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize);
PLACE(SetConfig, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
PLACE(SetConfig, data_bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize);
PLACE(SetConfig, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
PLACE(SetConfig, range, CUpti_RangeProfiler_SetConfig_Params, range);
PLACE(SetConfig, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
PLACE(SetConfig, most_ranges_per_pass, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
PLACE(SetConfig, nesting_levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
PLACE(SetConfig, least_nesting_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
PLACE(SetConfig, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
PLACE(SetConfig, target_nesting_level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
SIZE(Stop, CUpti_RangeProfiler_Stop_Params);
PLACE(Stop, profiler, CUpti_RangeProfiler_Stop_Params, pRangeProfilerObject);
PLACE(Stop, all_passes_done, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
SIZE(Decode, CUpti_RangeProfiler_DecodeData_Params);
PLACE(Decode, profiler, CUpti_RangeProfiler_DecodeData_Params, pRangeProfilerObject);
PLACE(Decode, dropped_ranges, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
SIZE(DataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params);
PLACE(DataInfo, data, CUpti_RangeProfiler_GetCounterDataInfo_Params, pCounterDataImage);
PLACE(DataInfo, bytes, CUpti_RangeProfiler_GetCounterDataInfo_Params, counterDataImageSize);
PLACE(DataInfo, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);
// NOLINTEND(bugprone-sizeof-expression)

#undef SIZE
#undef PLACE

TEST(CuptiLayouts, AreNvidias) {
  EXPECT_EQ(hardware_busy, CUPTI_ERROR_HARDWARE_BUSY);
  EXPECT_EQ(virtualized_device, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
  EXPECT_EQ(insufficient_privileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(virtualized_device_insufficient_privileges,
            CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(mig_device, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
  EXPECT_EQ(auto_range, CUPTI_AutoRange);
  EXPECT_EQ(user_replay, CUPTI_UserReplay);
  EXPECT_EQ(0, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
}

}  // namespace
}  // namespace warpwise::lab::cupti

#else

TEST(CuptiLayouts, AreNvidias) {
  GTEST_SKIP() << "NVIDIA's CUPTI headers are not here: scripts/get-cupti.sh brings them";
}

#endif
