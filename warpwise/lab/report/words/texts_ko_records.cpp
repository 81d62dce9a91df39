#include "warpwise/lab/report/words/korean.hpp"

// Korean texts for methods and names in records, and for the words of plots.
namespace warpwise::lab::report {
namespace {

constexpr Translation record_texts[] = {
    {"Each kernel's result is compared with the reference kernel's before it is timed. Cold: L2 is "
     "flushed before each run, a spinning kernel hides the launch, events stand around the run's "
     "launches; at least 10 samples and 0.5 s of GPU time, without those at a clock 5 % below the "
     "median. Batch: run after run on the same operands, as a CUDA graph where a run is short. "
     "Median, 5th and 95th percentile. GB/s counts each input read once and each output written "
     "once, by the cold time; the roof is measured in the same run. Counts are the emulator's, at "
     "the size that they name.",
     "커널마다 결과를 기준 커널의 결과와 견준 뒤에 시간을 잽니다. 캐시가 빈 시간: 실행할 때마다 그 "
     "앞에서 L2를 비우고, 헛도는 커널이 실행을 시작하는 시간을 가리며, 실행 하나의 앞뒤에 이벤트를 "
     "둡니다. 표본은 적어도 10개, GPU 시간으로 0.5초이며, 클록이 중앙값보다 5 % 낮은 것은 뺍니다. "
     "묶음: 같은 데이터로 잇달아 실행하며, 짧은 실행은 CUDA 그래프로 묶습니다. 중앙값, 5번째와 "
     "95번째 백분위수. GB/s는 입력을 한 번씩 읽고 출력을 한 번씩 쓴 바이트를 캐시가 빈 시간으로 "
     "나눈 것이고, 한계는 같은 실행에서 쟀습니다. 센 값은 에뮬레이터의 것이며, 적힌 크기에서 "
     "셌습니다."},
    {"Each rung's result is compared with the CPU's as it arrives in the host's memory. Inputs go "
     "up, kernels run, outputs come down, by the host's clock, again and again: at least 5 times "
     "and for a quarter of a second. Their parts are timed by events. pageable: memory as a "
     "program has it; pinned: page-locked; mapped: kernels access page-locked memory themselves; "
     "overlapped N: page-locked, in N bands of rows on three streams. The bus: page-locked copies "
     "of 256 MiB in the same run. Medians.",
     "단마다 결과가 호스트 메모리에 도착하면 CPU의 결과와 견줍니다. 입력이 올라가고, 커널이 "
     "실행되고, 출력이 내려오기를 호스트의 시계로 되풀이해 잽니다. 적어도 5번, 4분의 1초 "
     "동안입니다. 각 부분은 이벤트로 잽니다. pageable: 프로그램이 보통 쓰는 메모리; pinned: "
     "페이지를 고정한 메모리; mapped: 커널이 고정된 메모리에 직접 접근; overlapped N: 고정된 "
     "메모리를 행의 띠 N개로 나누어 스트림 세 개에서. 버스: 같은 실행에서 256 MiB를 고정된 "
     "메모리로 복사한 속도. 중앙값."},
    {"Each rung's result is compared with the CPU's before it is timed. Cold: L2 is flushed before "
     "each run, a spinning kernel hides the launch, events stand around the run's launches; at "
     "least 10 samples and 0.5 s of GPU time, without those at a clock 5 % below the median. "
     "Batch: run after run on the same operands, as a CUDA graph where a run is short. Median, 5th "
     "and 95th percentile. GB/s counts each input read once and each output written once, by the "
     "cold time; the roof is measured in the same run. Counts are the emulator's, at the size that "
     "they name.",
     "단마다 결과를 CPU의 결과와 견준 뒤에 시간을 잽니다. 캐시가 빈 시간: 실행할 때마다 그 앞에서 "
     "L2를 비우고, 헛도는 커널이 실행을 시작하는 시간을 가리며, 실행 하나의 앞뒤에 이벤트를 "
     "둡니다. 표본은 적어도 10개, GPU 시간으로 0.5초이며, 클록이 중앙값보다 5 % 낮은 것은 뺍니다. "
     "묶음: 같은 데이터로 잇달아 실행하며, 짧은 실행은 CUDA 그래프로 묶습니다. 중앙값, 5번째와 "
     "95번째 백분위수. GB/s는 입력을 한 번씩 읽고 출력을 한 번씩 쓴 바이트를 캐시가 빈 시간으로 "
     "나눈 것이고, 한계는 같은 실행에서 쟀습니다. 센 값은 에뮬레이터의 것이며, 적힌 크기에서 "
     "셌습니다."},
    {"Each rung's result is compared with the CPU's before it is timed. Cold: L2 is flushed before "
     "each run, a spinning kernel hides the launch, events stand around the run's launches; at "
     "least 10 samples and 0.5 s of GPU time, without those at a clock 5 % below the median. "
     "Batch: run after run on the same operands, as a CUDA graph where a run is short. Median, 5th "
     "and 95th percentile. GB/s counts each input read once and each output written once, by the "
     "cold time; the roof is measured in the same run. Counts are the emulator's, at the size that "
     "they name. On a share of the GPU: sm_percent of its multiprocessors, set apart as a green "
     "context; a neighbour kernel on the others reads memory, and what it read was measured while "
     "the kernel ran over and over; bandwidth left is the copy roof less that. Batches are no "
     "graphs there.",
     "단마다 결과를 CPU의 결과와 견준 뒤에 시간을 잽니다. 캐시가 빈 시간: 실행할 때마다 그 앞에서 "
     "L2를 비우고, 헛도는 커널이 실행을 시작하는 시간을 가리며, 실행 하나의 앞뒤에 이벤트를 "
     "둡니다. 표본은 적어도 10개, GPU 시간으로 0.5초이며, 클록이 중앙값보다 5 % 낮은 것은 뺍니다. "
     "묶음: 같은 데이터로 잇달아 실행하며, 짧은 실행은 CUDA 그래프로 묶습니다. 중앙값, 5번째와 "
     "95번째 백분위수. GB/s는 입력을 한 번씩 읽고 출력을 한 번씩 쓴 바이트를 캐시가 빈 시간으로 "
     "나눈 것이고, 한계는 같은 실행에서 쟀습니다. 센 값은 에뮬레이터의 것이며, 적힌 크기에서 "
     "셌습니다. GPU의 일부에서: 멀티프로세서의 sm_percent를 그린 컨텍스트로 떼어 둡니다. "
     "나머지에서는 이웃 커널이 메모리를 읽으며, 커널을 되풀이해 실행하는 동안 이웃이 읽은 양을 "
     "쟀습니다. 남은 대역폭은 복사의 한계에서 그것을 뺀 것입니다. 이때 묶음은 그래프가 아닙니다."},
    {"median of runs with nothing of theirs in L2, which is flushed before each, a spinning kernel "
     "hiding the launch, timed by events; 5th and 95th percentile; batch_us is one of many runs, "
     "one behind another on the same operands, as one CUDA graph where a run takes under 100 us; "
     "GB/s counts each input read once and each output written once, by the first; the roof, "
     "measured in the same run, is a device-to-device cudaMemcpyAsync that moves 1 GiB, or of what "
     "hardly writes a kernel that only reads; results of warpwise verified against its CPU path "
     "first; ratio is a peer's median to ours, between low and high with 99 % by order statistics: "
     "faster or slower where that is wholly beyond 2 %, the same where it is wholly within, else "
     "unsure",
     "L2에 데이터가 없는 실행의 중앙값. 실행할 때마다 그 앞에서 L2를 비우고, 헛도는 커널이 실행을 "
     "시작하는 시간을 가리며, 이벤트로 잽니다. 5번째와 95번째 백분위수. batch_us는 같은 데이터로 "
     "잇달아 한 여러 실행 가운데 하나의 시간이고, 100 µs보다 짧은 실행은 CUDA 그래프 하나로 "
     "묶습니다. GB/s는 입력을 한 번씩 읽고 출력을 한 번씩 쓴 바이트를 앞의 시간으로 나눈 것입니다. "
     "한계는 같은 실행에서 잰, 1 GiB를 옮기는 장치 안의 cudaMemcpyAsync이며, 거의 쓰지 않는 것은 "
     "읽기만 하는 커널입니다. warpwise의 결과는 먼저 CPU의 결과와 견주었습니다. ratio는 상대의 "
     "중앙값을 우리 것으로 나눈 값이고, 순서 통계량에 따라 99 %로 low와 high 사이에 있습니다. 그 "
     "구간이 모두 2 % 밖이면 faster나 slower, 모두 안이면 same, 아니면 unsure입니다."},
    {"No GPU: these are the emulator's counts, at the size given. Times are modelled, not "
     "measured. Registers are those of the machine code that registers_from names: a compute "
     "capability that none can be built for has the nearest one's.",
     "GPU 없음: 적힌 크기에서 에뮬레이터가 센 값이며, 시간은 잰 것이 아니라 모델이 계산한 "
     "것입니다. 레지스터는 registers_from에 적힌 기계어의 것이며, 기계어를 만들 수 없는 계산 "
     "능력은 가장 가까운 것을 씁니다."},
    {"bank conflicts of shared memory: sixteen to a half-warp, none, and the read left out",
     "공유 메모리의 뱅크 충돌: 하프 워프에 열여섯 번, 충돌 없음, 읽기를 뺀 것"},
    {"transactions of global memory: a half-warp served by one, and by sixteen",
     "전역 메모리의 트랜잭션: 하프 워프를 한 번에, 그리고 열여섯 번에 처리"},
    {"registers or local memory: a cap on registers and its spills, with shared memory and "
     "textures as remedies",
     "레지스터냐 지역 메모리냐: 레지스터의 상한과 넘침, 처방인 공유 메모리와 텍스처"},
    {"occupancy: its formula, its limits by threads, blocks, registers and shared memory",
     "점유율: 공식, 그리고 스레드, 블록, 레지스터, 공유 메모리에 따른 제한"},
    {"latency hiding: a kernel's time against the number of arithmetic instructions for 1 to n "
     "global accesses",
     "지연 감춤: 전역 메모리 접근 1~n번에 딸린 산술 명령의 수에 따른 커널의 시간"},
    {"latency hiding ends at a barrier, so that global memory alone can beat shared memory",
     "배리어에서 끝나는 지연 감춤: 전역 메모리만 쓰는 것이 공유 메모리를 이길 수 있는 까닭"},
    {"Sobel: the kernel on global memory and four methods to fill a tile of shared memory, with "
     "branches and times",
     "소벨: 전역 메모리를 쓰는 커널과, 공유 메모리의 타일을 채우는 네 가지 방법, 분기와 시간"},
    {"Sobel's ladder: shared, global and texture memory, each with constant memory, fewer "
     "conditions, compile-time constants and unrolled loops",
     "소벨의 사다리: 공유, 전역, 텍스처 메모리에서 차례로 상수 메모리, 줄인 조건문, 컴파일 시점의 "
     "상수, 펼친 반복문"},
    {"the live program: rendered image, edge detection in CUDA, display",
     "실시간 프로그램: 렌더링한 영상, CUDA로 하는 에지 검출, 화면 출력"},
    {"matrix times vector: a thread for each row, then a block for each row with a tree of partial "
     "sums",
     "행렬 곱하기 벡터: 행마다 스레드 하나, 다음에는 행마다 블록 하나와 부분합의 트리"},
    {"the guide: three kinds of kernels, and which memory suits each",
     "지침: 커널의 세 부류와 각각에 맞는 메모리"},
    {"copying integers by scalars, pairs and fours: bandwidth against size; alignment, structs, "
     "the tail",
     "정수를 하나씩, 둘씩, 넷씩 복사: 크기에 따른 대역폭; 정렬, 구조체, 나머지"},
    {"the evidence in the machine code: loads and stores of 32, 64 and 128 bits",
     "기계어에 보이는 증거: 32, 64, 128비트 읽기와 쓰기"},
    {"the cost: more registers and less parallelism; when scalars stay right",
     "비용: 늘어나는 레지스터와 줄어드는 병렬성; 스칼라가 여전히 나은 때"},
    {"a pixel against the mean of the window around it, less an offset",
     "화소를 둘레 창의 평균에서 오프셋을 뺀 값과 비교"},
    {"the block keeps its tile and halo in shared memory; every parameter is free",
     "블록은 타일과 그 둘레를 공유 메모리에 두며, 모든 매개변수는 자유"},
    {"three-byte pixels to four bytes: four ways to share loads and stores among threads",
     "3바이트 화소를 4바이트로: 읽기와 쓰기를 스레드에 나누는 네 가지 구성"},
    {"thread efficiency of each way: useful operations over executed ones",
     "구성마다 스레드 효율: 실행한 연산 가운데 쓸모 있는 연산"},
    {"block shapes swept for each way, and the times at the best",
     "구성마다 훑어 본 블록 모양과, 가장 좋은 모양에서의 시간"},
    {"the balance of arithmetic and memory, found by changing the clocks of each",
     "연산 클록과 메모리 클록을 바꾸어 알아낸 연산과 메모리의 균형"},
    {"frames that come live from a camera, and the rate that is reached",
     "카메라에서 실시간으로 오는 프레임과, 다다른 속도"},
    {"from a thread for each block of pixels to a thread for each candidate, caches, shared "
     "memory, unrolled loops",
     "화소 블록마다 스레드 하나에서 후보마다 스레드 하나로, 캐시, 공유 메모리, 펼친 반복문"},
    {"the time of kernels against that of transfers", "커널의 시간과 전송의 시간"},
    {"SAD, SSD and NCC; motion field, disparity map, tracked object",
     "SAD, SSD, NCC; 움직임 벡터, 시차 지도, 물체 추적"},
    {"what the library does on a CPU", "라이브러리가 CPU에서 하는 것"},
    {"plain loops", "단순한 반복문"},
    {"all rising: it begins with no two values at one level",
     "처음부터 오름: 같은 높이에서 시작하는 두 값이 없음"},
    {"plain loops would take about 300 s", "단순한 반복문으로는 약 300초"},
    {"plain loops would take about 37 s", "단순한 반복문으로는 약 37초"},
    {"plain loops would take about 4 s", "단순한 반복문으로는 약 4초"},
    {"plain loops would take about 6 s", "단순한 반복문으로는 약 6초"},
    {"cold time, µs", "캐시가 빈 시간, µs"},
    {"time with transfers, µs", "전송을 포함한 시간, µs"},
    {"time in a batch, µs", "묶음 안의 시간, µs"},
    {"GB/s by the cold time", "캐시가 빈 시간으로 셈한 GB/s"},
    {"share of the roof, %", "한계에 대한 비율, %"},
    {"registers of a thread", "스레드의 레지스터"},
    {"spilled bytes of a thread", "스레드에서 넘친 바이트"},
    {"occupancy, %", "점유율, %"},
    {"active lanes of a warp", "워프의 활동 레인"},
    {"references per pixel", "화소마다 접근"},
    {"transactions per request", "요청마다 트랜잭션"},
    {"bytes moved per pixel", "화소마다 옮긴 바이트"},
    {"shared passes per request", "요청마다 공유 메모리 처리 횟수"},
    {"loads of 32 bytes", "32바이트 읽기"},
    {"loads of 64 bytes", "64바이트 읽기"},
    {"loads of 128 bytes", "128바이트 읽기"},
    {"stores of 32 bytes", "32바이트 쓰기"},
    {"stores of 64 bytes", "64바이트 쓰기"},
    {"stores of 128 bytes", "128바이트 쓰기"},
    {"threads of a block", "블록의 스레드"},
    {"size, pixels", "크기, 화소"},
    {"neighbour percent", "이웃 비율(%)"},
    {"sm percent", "멀티프로세서 비율(%)"},
    {"block x", "블록 x"},
    {"block y", "블록 y"},
    {"not run", "실행하지 않음"},
    {"★ the best block of each kernel", "★ 커널마다 가장 좋은 블록"},
    {"interrupted: the measurement is incomplete", "중단됨: 모두 재지는 못했음"},
    {"bandwidth halved at half multiprocessors", "멀티프로세서 절반에서 대역폭을 절반으로"},
    {"bandwidth halved at many multiprocessors", "멀티프로세서가 많을 때 대역폭을 절반으로"},
    {"multiprocessors halved at all bandwidth", "대역폭 전체에서 멀티프로세서를 절반으로"},
    {"multiprocessors halved at half bandwidth", "대역폭 절반에서 멀티프로세서를 절반으로"},
    {"bandwidth", "대역폭"},
    {"both", "둘 다"},
    {"neither", "어느 것도 아님"},
    {"issue", "명령 발행"},
    {"shared memory", "공유 메모리"},
    {"warp instructions", "워프 명령"},
    {"active lanes", "활동 레인"},
    {"divergent branches", "갈라지는 분기"},
    {"compute capability", "계산 능력"},
    {"cuda driver", "CUDA 드라이버"},
    {"cuda runtime", "CUDA 런타임"},
    {"driver", "드라이버"},
    {"toolkit", "툴킷"},
    {"commit", "커밋"},
    {"date", "날짜"},
    {"cpu reference", "CPU 기준 구현"},
    {"cpu 1 thread", "CPU, 스레드 1개"},
    {"cpu 16 threads", "CPU, 스레드 16개"},
    {"global load requests", "전역 읽기 요청"},
    {"global load sectors", "전역 읽기 섹터"},
    {"global load wavefronts", "전역 읽기 처리 횟수"},
    {"global load passes", "전역 읽기 처리 횟수"},
    {"global load transactions", "전역 읽기 트랜잭션"},
    {"global store requests", "전역 쓰기 요청"},
    {"global store sectors", "전역 쓰기 섹터"},
    {"global store wavefronts", "전역 쓰기 처리 횟수"},
    {"global store passes", "전역 쓰기 처리 횟수"},
    {"global store transactions", "전역 쓰기 트랜잭션"},
    {"global atomic requests", "전역 원자 연산 요청"},
    {"global atomic sectors", "전역 원자 연산 섹터"},
    {"global atomic wavefronts", "전역 원자 연산 처리 횟수"},
    {"global atomic passes", "전역 원자 연산 처리 횟수"},
    {"global atomic transactions", "전역 원자 연산 트랜잭션"},
    {"shared load requests", "공유 읽기 요청"},
    {"shared load sectors", "공유 읽기 섹터"},
    {"shared load wavefronts", "공유 읽기 처리 횟수"},
    {"shared load passes", "공유 읽기 처리 횟수"},
    {"shared load transactions", "공유 읽기 트랜잭션"},
    {"shared store requests", "공유 쓰기 요청"},
    {"shared store sectors", "공유 쓰기 섹터"},
    {"shared store wavefronts", "공유 쓰기 처리 횟수"},
    {"shared store passes", "공유 쓰기 처리 횟수"},
    {"shared store transactions", "공유 쓰기 트랜잭션"},
    {"shared atomic requests", "공유 원자 연산 요청"},
    {"shared atomic sectors", "공유 원자 연산 섹터"},
    {"shared atomic wavefronts", "공유 원자 연산 처리 횟수"},
    {"shared atomic passes", "공유 원자 연산 처리 횟수"},
    {"shared atomic transactions", "공유 원자 연산 트랜잭션"},
    {"local load requests", "지역 읽기 요청"},
    {"local load sectors", "지역 읽기 섹터"},
    {"local load wavefronts", "지역 읽기 처리 횟수"},
    {"local load passes", "지역 읽기 처리 횟수"},
    {"local load transactions", "지역 읽기 트랜잭션"},
    {"local store requests", "지역 쓰기 요청"},
    {"local store sectors", "지역 쓰기 섹터"},
    {"local store wavefronts", "지역 쓰기 처리 횟수"},
    {"local store passes", "지역 쓰기 처리 횟수"},
    {"local store transactions", "지역 쓰기 트랜잭션"},
    {"local atomic requests", "지역 원자 연산 요청"},
    {"local atomic sectors", "지역 원자 연산 섹터"},
    {"local atomic wavefronts", "지역 원자 연산 처리 횟수"},
    {"local atomic passes", "지역 원자 연산 처리 횟수"},
    {"local atomic transactions", "지역 원자 연산 트랜잭션"},
    // Ideas of rungs as older records state them. The studies' tables have other texts by now.
    {"what copy() launches: four vectors in flight, any alignment",
     "copy()가 실행하는 것: 진행 중인 벡터 넷, 어떤 정렬이든"},
    {"what match() launches by NCC: sums of packed products",
     "match()가 NCC로 실행하는 것: 묶은 곱의 합"},
    {"what match() launches by SSD: sums of packed products",
     "match()가 SSD로 실행하는 것: 묶은 곱의 합"},
    {"what threshold() launches: the next word's sums asked for before this one is stored, 16 rows "
     "of loads in flight, blocks by the image's size; prefix sums where the window outgrows a "
     "block",
     "threshold()가 실행하는 것: 이 워드를 쓰기 전에 다음 워드의 합을 요청, 진행 중인 읽기 16행, "
     "영상 크기에 따른 블록; 창이 블록보다 크면 누적 합"},
};

}  // namespace

std::span<const Translation> korean_texts_of_records() { return record_texts; }

}  // namespace warpwise::lab::report
