#include <unordered_map>

#include "warpwise/lab/report/korean.hpp"

// Texts of records, of the tables of ladders and studies, and of plots. What is not here is shown
// as it is.
namespace warpwise::lab::report {

namespace {

const std::unordered_map<std::string_view, std::string_view> texts = {
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
     "first",
     "L2에 데이터가 없는 실행의 중앙값. 실행할 때마다 그 앞에서 L2를 비우고, 헛도는 커널이 실행을 "
     "시작하는 시간을 가리며, 이벤트로 잽니다. 5번째와 95번째 백분위수. batch_us는 같은 데이터로 "
     "잇달아 한 여러 실행 가운데 하나의 시간이고, 100 µs보다 짧은 실행은 CUDA 그래프 하나로 "
     "묶습니다. GB/s는 입력을 한 번씩 읽고 출력을 한 번씩 쓴 바이트를 앞의 시간으로 나눈 것입니다. "
     "한계는 같은 실행에서 잰, 1 GiB를 옮기는 장치 안의 cudaMemcpyAsync이며, 거의 쓰지 않는 것은 "
     "읽기만 하는 커널입니다. warpwise의 결과는 먼저 CPU의 결과와 견주었습니다."},
    {"No GPU: these are the emulator's counts, at the size given, and no times. Registers are "
     "those of the machine code that registers_from names: a compute capability that none can be "
     "built for has the nearest one's.",
     "GPU 없음: 적힌 크기에서 에뮬레이터가 센 값이며, 시간은 없습니다. 레지스터는 registers_from에 "
     "적힌 기계어의 것이며, 기계어를 만들 수 없는 계산 능력은 가장 가까운 것을 씁니다."},
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
    {"webcam frames of RGB24, whose pixels have no alignment, to 32-bit YCbCr",
     "정렬되지 않은 화소인 RGB24 웹캠 영상을 32비트 YCbCr로 변환"},
    {"ints from one array to another, by vectors of growing width",
     "배열에서 배열로 int를, 점점 넓은 벡터로 복사"},
    {"a matrix of floats times a vector, from a thread for each row to loads that keep the memory "
     "busy",
     "float 행렬 곱하기 벡터: 행마다 스레드 하나에서, 메모리를 쉬지 않게 하는 읽기까지"},
    {"block matching by SAD, and by SSD and NCC: from a thread for each block to packed "
     "differences that registers share",
     "SAD, SSD, NCC로 하는 블록 정합: 블록마다 스레드 하나에서, 레지스터끼리 나누어 쓰는 묶은 "
     "차까지"},
    {"edges |dx| + |dy| of an RGBA image, which is made grey on the way; bytes, borders repeated",
     "RGBA 영상을 도중에 회색으로 바꾸어 구하는 에지 |dx| + |dy|; 바이트, 경계는 되풀이"},
    {"adaptive threshold of bytes against the exact mean of a square window",
     "정사각형 창의 정확한 평균과 견주는 바이트의 적응 이진화"},
    {"which resource a kernel hangs on: multiprocessors, or the bandwidth of memory",
     "커널이 어느 자원에 달렸나: 멀티프로세서, 또는 메모리의 대역폭"},
    {"bank conflicts: what a stride between the lanes of a warp costs in shared memory, and "
     "padding as the cure",
     "뱅크 충돌: 공유 메모리에서 워프의 레인 사이 간격이 치르는 비용과, 처방인 패딩"},
    {"barriers and latency hiding: the same loads and arithmetic with and without a copy to shared "
     "memory",
     "배리어와 지연 감춤: 같은 읽기와 산술을, 공유 메모리로 복사하며 또는 하지 않고"},
    {"latency hiding: how much arithmetic a thread does before it takes time beside its loads and "
     "stores",
     "지연 감춤: 스레드가 산술을 얼마나 해야 읽기와 쓰기의 시간 밖으로 나오나"},
    {"time against occupancy, which shared memory that nobody uses forces, with 1, 2 and 4 loads "
     "of a thread in flight",
     "점유율에 따른 시간: 쓰지 않는 공유 메모리로 점유율을 정하고, 스레드마다 진행 중인 읽기는 1, "
     "2, 4개"},
    {"how many threads of each organisation of convert's ladder idle, for the 64 pixels that they "
     "share",
     "convert 사다리의 구성마다, 함께 맡은 화소 64개에서 노는 스레드의 수"},
    {"which shape of block suits each organisation of convert's ladder",
     "convert 사다리의 구성마다 알맞은 블록 모양"},
    {"registers or local memory: many live words with a cap on registers and without, in shared "
     "memory, and read through a texture",
     "레지스터냐 지역 메모리냐: 살아 있는 많은 워드를 레지스터의 상한이 있을 때와 없을 때, 공유 "
     "메모리에서, 텍스처로 읽어서"},
    {"what stride and alignment of the words that lanes load from global memory cost in "
     "transactions",
     "레인이 전역 메모리에서 읽는 워드의 간격과 정렬이 트랜잭션으로 치르는 비용"},
    {"what the way of operands to the GPU and back costs beside the kernels, and how much of it "
     "overlaps",
     "데이터가 GPU로 오가는 길의 비용을 커널과 견주고, 얼마나 겹치는지"},
    {"accesses of 4, 8 and 16 bytes: instructions and registers of a copy, and two kernels for "
     "which the narrow one is right",
     "4, 8, 16바이트 접근: 복사의 명령과 레지스터, 그리고 좁은 접근이 맞는 커널 두 개"},
    {"A block for a row of 256 elements, from few blocks to many",
     "원소 256개인 행마다 블록 하나, 적은 블록에서 많은 블록까지"},
    {"A half-warp served by one transaction, and by sixteen",
     "하프 워프를 트랜잭션 한 번에, 그리고 열여섯 번에"},
    {"A state that grows until the registers do not hold it",
     "레지스터가 담지 못할 때까지 커지는 상태"},
    {"A thread for each block, a thread for each candidate",
     "블록마다 스레드 하나, 후보마다 스레드 하나"},
    {"Additions beside 1 to 8 loads", "읽기 1~8번에 딸린 덧셈"},
    {"Adjacent words of 8 to 128 bits that begin at every word",
     "어느 워드에서나 시작하는, 8~128비트의 이웃한 워드"},
    {"All rungs", "모든 단"},
    {"All rungs at the default window", "기본 창에서 모든 단"},
    {"Bandwidth of the scalar and the vector copies against the copy's size",
     "복사하는 크기에 따른 스칼라 복사와 벡터 복사의 대역폭"},
    {"Block matching step by step", "블록 정합, 단계마다"},
    {"Blocks of 32 to 1024 threads, as many as an SM takes",
     "스레드 32~1024개인 블록, 멀티프로세서가 받는 만큼"},
    {"Copies by 4, 8 and 16 bytes, blocks of 64 to 1024", "4, 8, 16바이트씩 복사, 블록은 64~1024"},
    {"Divisions beside 1 to 8 loads", "읽기 1~8번에 딸린 나눗셈"},
    {"Each organisation at every shape of block", "구성마다 모든 블록 모양에서"},
    {"Each organisation at many block shapes", "구성마다 여러 블록 모양에서"},
    {"Eight resident blocks: 64 warps of an SM", "상주 블록 여덟 개: 멀티프로세서의 워프 64개"},
    {"Every rung", "모든 단"},
    {"Four loads in blocks of 128 threads and of 512",
     "스레드 128개인 블록과 512개인 블록에서 읽기 네 번"},
    {"Four places of a half-warp's 48 bytes of RGB24 in segments of 64",
     "64바이트 조각 안에서 하프 워프의 RGB24 48바이트가 놓이는 네 자리"},
    {"From the host's memory and back, by every way", "호스트 메모리에서 갔다 오기, 모든 방법으로"},
    {"How far to unroll", "얼마나 펼칠 것인가"},
    {"How many words are alive", "살아 있는 워드의 수"},
    {"How often the words are touched", "워드를 건드리는 횟수"},
    {"Methods I and II: branches", "방법 I과 II: 분기"},
    {"Multiplications beside 1 to 8 loads", "읽기 1~8번에 딸린 곱셈"},
    {"Multiplications beside a load and 2 to 8 stores", "읽기 한 번과 쓰기 2~8번에 딸린 곱셈"},
    {"Organisations by input, output and both, each at the document's best block",
     "입력, 출력, 입출력 기준의 구성, 각각 문서의 가장 좋은 블록에서"},
    {"Registers against resident threads: every block shape",
     "레지스터와 상주 스레드: 모든 블록 모양"},
    {"SAD, SSD and NCC", "SAD, SSD, NCC"},
    {"Shared, global and texture memory, step by step", "공유, 전역, 텍스처 메모리, 단계마다"},
    {"Stride and misalignment of words of 32 bits", "32비트 워드의 간격과 어긋난 정렬"},
    {"The block's size", "블록의 크기"},
    {"The document's steps, from its first version to its last",
     "문서의 단계, 첫 판에서 마지막 판까지"},
    {"The organisations on ever fewer multiprocessors", "점점 적은 멀티프로세서에서 본 구성들"},
    {"The organisations with half of the multiprocessors, or of the memory's bandwidth",
     "멀티프로세서의 절반, 또는 메모리 대역폭의 절반에서 본 구성들"},
    {"The same for the rungs whose work does not grow with the window's area",
     "창의 넓이에 따라 일이 늘지 않는 단을 두고 같은 것"},
    {"The same on an image that exceeds the caches, small windows",
     "캐시보다 큰 영상, 작은 창에서 같은 것"},
    {"The same with an early kernel", "초기의 커널로 같은 것"},
    {"The shipped kernel and its last steps at other block and search sizes",
     "내놓은 커널과 마지막 단들, 다른 블록 크기와 탐색 범위에서"},
    {"The whole ladder", "사다리 전체"},
    {"Threads executed and idle for 64 pixels", "화소 64개에 실행된 스레드와 노는 스레드"},
    {"Two resident blocks: 16 warps of an SM", "상주 블록 두 개: 멀티프로세서의 워프 16개"},
    {"Ways to fill the tile", "타일을 채우는 방법"},
    {"Ways to fill the tile, before and after compile-time constants",
     "타일을 채우는 방법, 컴파일 시점의 상수를 쓰기 전과 후"},
    {"Window by window: each pixel of it, or running sums",
     "창마다: 창의 화소 하나하나, 또는 이어 가는 합"},
    {"With a conflict of 16, without, and without the read",
     "16겹 충돌이 있을 때, 없을 때, 읽기가 없을 때"},
    {"Words of 4, 8 and 16 bytes at every stride", "4, 8, 16바이트 워드, 모든 간격에서"},
    {"Words of 8 to 128 bits at every stride", "8~128비트 워드, 모든 간격에서"},
    {"the 16 lanes of a half-warp read 16 words of one bank",
     "하프 워프의 레인 16개가 한 뱅크의 워드 16개를 읽음"},
    {"they read 16 adjacent words", "이웃한 워드 16개를 읽음"},
    {"the shared memory is written and not read", "공유 메모리에 쓰기만 하고 읽지 않음"},
    {"a word left free behind each row of banks", "뱅크 한 줄마다 그 뒤에 한 워드를 비움"},
    {"lanes write words a stride apart and read them over and over",
     "레인들이 일정한 간격의 워드에 쓰고, 되풀이해 읽음"},
    {"and the whole block waits at a barrier before and after it reads them",
     "읽기 앞뒤에 블록 전체가 배리어에서 기다림"},
    {"each value is read where it is used, from global memory",
     "값마다 쓰는 자리에서 전역 메모리에서 읽음"},
    {"each warp copies its values to shared memory first", "워프마다 값을 먼저 공유 메모리로 복사"},
    {"what the library does on a CPU", "라이브러리가 CPU에서 하는 것"},
    {"plain loops", "단순한 반복문"},
    {"the same in four rows: twelve loads in flight, more registers",
     "같은 것을 네 행에서: 진행 중인 읽기 열두 개, 더 많은 레지스터"},
    {"48 threads load 192 bytes as words and compute 64 pixels in two rounds",
     "스레드 48개가 192바이트를 워드로 읽어 화소 64개를 두 번에 계산"},
    {"16 threads for 64 pixels: three loads and four stores each, none idle",
     "화소 64개에 스레드 16개: 저마다 읽기 셋, 쓰기 넷, 노는 스레드 없음"},
    {"64 threads store 64 pixels; three quarters of them load",
     "스레드 64개가 화소 64개를 쓰고, 그 4분의 3이 읽음"},
    {"the same with all threads loading: 85 pixels are read for 64",
     "같은 것을 모든 스레드가 읽어서: 화소 64개에 85개를 읽음"},
    {"a byte is taken out of a word by one instruction, not by shift and mask",
     "워드에서 바이트를 시프트와 마스크 대신 명령 하나로 꺼냄"},
    {"no shared memory: a thread's three words are its four pixels, one 16-byte store",
     "공유 메모리 없음: 스레드의 워드 셋이 곧 화소 넷, 16바이트 쓰기 한 번"},
    {"two channels are saturated and put into their bytes by one instruction",
     "두 채널을 명령 하나로 포화시켜 제 바이트에 넣음"},
    {"what convert() launches: the same for aligned rows of any format; the rest by cut accesses, "
     "a row at a time",
     "convert()가 실행하는 것: 정렬된 행은 어떤 형식이든 같고, 나머지는 나눈 접근으로 한 행씩"},
    {"the same in two rows: six loads in flight, fewer registers",
     "같은 것을 두 행에서: 진행 중인 읽기 여섯 개, 더 적은 레지스터"},
    {"a thread for each pixel: three byte loads, one word stored",
     "화소마다 스레드 하나: 바이트 읽기 셋, 워드 쓰기 하나"},
    {"the same by whole warps, which wait for nobody else",
     "같은 것을 워프 단위로, 다른 것을 기다리지 않음"},
    {"16-byte accesses on both sides, through shared memory: 24 lanes load for 32",
     "양쪽 모두 16바이트 접근, 공유 메모리를 거쳐: 레인 24개가 32개 몫을 읽음"},
    {"two int4 loaded before the first is stored", "첫째를 쓰기 전에 int4 둘을 읽음"},
    {"four int4 loaded before the first is stored", "첫째를 쓰기 전에 int4 넷을 읽음"},
    {"one int a thread and turn of a grid-stride loop",
     "그리드만큼 건너뛰는 반복에서 스레드마다 한 번에 int 하나"},
    {"what copy() launches: four vectors in flight, any alignment",
     "copy()가 실행하는 것: 진행 중인 벡터 넷, 어떤 정렬이든"},
    {"what is loaded and stored leaves the caches first: it is used once",
     "한 번만 쓰이므로, 읽고 쓴 것이 캐시에서 먼저 나감"},
    {"a struct of 12 bytes, which no access is as wide as: three of 4",
     "12바이트 구조체, 그만한 너비의 접근은 없으므로 4바이트 셋"},
    {"a struct of 16 bytes that is aligned to 16: one access, like int4",
     "16에 정렬된 16바이트 구조체: int4처럼 접근 한 번"},
    {"a struct of 16 bytes with the alignment of a double: two accesses of 8",
     "double의 정렬을 가진 16바이트 구조체: 8바이트 접근 두 번"},
    {"two ints at once, as int2", "int 둘을 한꺼번에, int2로"},
    {"four ints at once, as int4", "int 넷을 한꺼번에, int4로"},
    {"the threads of a block read adjacent columns; a tree in shared memory sums",
     "블록의 스레드들이 이웃한 열을 읽고, 공유 메모리의 트리가 더함"},
    {"no branch in the tree, and no block barrier below a warp",
     "트리에 분기가 없고, 워프보다 작아지면 블록 배리어도 없음"},
    {"the tree halves from above: adjacent threads read adjacent words",
     "위에서부터 반으로 줄이는 트리: 이웃한 스레드가 이웃한 워드를 읽음"},
    {"four rows share it", "네 행이 나누어 씀"},
    {"large blocks, as many as are resident at a time, stride over the rows",
     "한 번에 상주하는 만큼의 큰 블록이 행을 건너뛰며 감"},
    {"what gemv() launches: rows cut into chunks, x in registers, sums in a fixed order",
     "gemv()가 실행하는 것: 행을 토막으로 나누고, x는 레지스터에, 합은 정해진 순서로"},
    {"x is read as a texture", "x를 텍스처로 읽음"},
    {"a side step: the matrix is read as a texture too", "곁길: 행렬도 텍스처로 읽음"},
    {"a thread walks along its row", "스레드가 제 행을 따라감"},
    {"two rows share what a warp has loaded of x", "워프가 읽은 x를 두 행이 나누어 씀"},
    {"four columns at once", "열 넷을 한꺼번에"},
    {"a warp for each row: no barrier, no shared memory",
     "행마다 워프 하나: 배리어도 공유 메모리도 없음"},
    {"warps sum by shuffles first; one barrier a row",
     "먼저 워프가 셔플로 더함; 행마다 배리어 하나"},
    {"x is read like any data", "x를 여느 데이터처럼 읽음"},
    {"each loaded value goes through a chain of additions", "읽은 값마다 덧셈을 줄지어 거침"},
    {"through a chain of divisions", "나눗셈을 줄지어 거침"},
    {"through a chain of multiplications", "곱셈을 줄지어 거침"},
    {"step 0: a thread matches a block, one displacement after the other",
     "0단계: 스레드 하나가 블록 하나를, 변위를 하나씩 바꾸어 정합"},
    {"step 2: the same layout, through the caches of global memory in place of textures",
     "2단계: 같은 배치를, 텍스처 대신 전역 메모리의 캐시로"},
    {"step 1: a thread for each displacement of each block; a second kernel finds the best score",
     "1단계: 블록의 변위마다 스레드 하나; 두 번째 커널이 가장 좋은 점수를 찾음"},
    {"the same through textures, as before there were caches",
     "캐시가 없던 때처럼 같은 것을 텍스처로"},
    {"four rows too: a target word that is loaded and shifted serves sixteen candidates",
     "행도 넷: 읽어서 시프트한 대상 워드 하나가 후보 열여섯에 쓰임"},
    {"a thread scores four adjacent columns: two words give the shifts of all four",
     "스레드가 이웃한 열 넷의 점수를 냄: 워드 둘에서 네 시프트가 모두 나옴"},
    {"one kernel: the best score is found in registers",
     "커널 하나: 가장 좋은 점수를 레지스터에서 찾음"},
    {"neighbouring threads are neighbouring displacements, and a block's scores lie together",
     "이웃한 스레드가 이웃한 변위를 맡고, 블록의 점수는 한데 놓임"},
    {"step 2 by NCC", "2단계를 NCC로"},
    {"step 1 by NCC: three sums of integers, one double, whose order decides",
     "1단계를 NCC로: 정수의 합 셋, 순서를 정하는 double 하나"},
    {"what match() launches by NCC: sums of packed products",
     "match()가 NCC로 실행하는 것: 묶은 곱의 합"},
    {"four pixels a word: windows shifted together, four absolute differences an instruction",
     "워드마다 화소 넷: 창을 함께 시프트하고, 명령 하나에 절댓값 차 넷"},
    {"a pitch that keeps the rows that a warp reads in different banks",
     "워프가 읽는 행들을 서로 다른 뱅크에 두는 피치"},
    {"step 3: block and search area in shared memory", "3단계: 블록과 탐색 영역을 공유 메모리에"},
    {"what match() launches: tiles that fit any search area, parts that fit any block",
     "match()가 실행하는 것: 어떤 탐색 영역에도 맞는 타일, 어떤 블록에도 맞는 부분"},
    {"step 2 by SSD", "2단계를 SSD로"},
    {"step 1 by SSD", "1단계를 SSD로"},
    {"what match() launches by SSD: sums of packed products",
     "match()가 SSD로 실행하는 것: 묶은 곱의 합"},
    {"step 4: the loop over a row unrolled by 8", "4단계: 행을 도는 반복문을 8번씩 펼침"},
    {"unrolled as far as a row of the block goes", "블록의 한 행만큼 펼침"},
    {"shared memory is filled by aligned words, shifted into place",
     "정렬된 워드를 제자리로 시프트하며 공유 메모리를 채움"},
    {"four", "네 개"},
    {"a thread has one load in flight", "스레드마다 진행 중인 읽기 하나"},
    {"two, which do not wait for one another", "서로 기다리지 않는 두 개"},
    {"grey by two byte-wise dot products", "바이트 단위 내적 두 번으로 회색을 구함"},
    {"four adjacent pixels a thread: vector loads, one word stored",
     "스레드마다 이웃한 화소 넷: 벡터 읽기, 워드 쓰기 하나"},
    {"each pixel made grey once, into a shared tile of bytes",
     "화소마다 한 번만 회색으로 바꾸어 공유 메모리의 바이트 타일에"},
    {"the weights and grey's arithmetic are code: sums instead of products, integers",
     "가중치와 회색의 계산을 코드로: 곱 대신 합, 정수"},
    {"method I: the threads at the edges copy the tile's rim, under eight conditions",
     "방법 I: 가장자리의 스레드가 조건 여덟 개 아래에서 타일의 테두리를 복사"},
    {"method I, the block's shape known to the compiler", "방법 I, 컴파일러가 아는 블록 모양"},
    {"method II: four copies of the block's size, no condition",
     "방법 II: 블록 크기의 복사 네 번, 조건 없음"},
    {"method II, the block's shape known to the compiler", "방법 II, 컴파일러가 아는 블록 모양"},
    {"method III: the tile filled in the order of its memory, by division and remainder",
     "방법 III: 나눗셈과 나머지로, 메모리의 순서대로 타일을 채움"},
    {"method III, the block's shape known to the compiler", "방법 III, 컴파일러가 아는 블록 모양"},
    {"method IV, the block's shape known to the compiler", "방법 IV, 컴파일러가 아는 블록 모양"},
    {"inside the image and aligned, or not: decided once for a warp",
     "영상 안이고 정렬되었는지 아닌지: 워프마다 한 번만 판정"},
    {"two pixels' sums in the halves of one register", "레지스터 하나의 두 절반에 화소 두 개의 합"},
    {"all six rows are loaded before the first is used", "첫 행을 쓰기 전에 여섯 행을 모두 읽음"},
    {"method IV, all steps; a block goes down the image and fills its tile four times",
     "방법 IV, 모든 단계; 블록이 영상을 내려가며 타일을 네 번 채움"},
    {"what sobel() launches: the same for any layout and border; halves as 16-bit floats, pixels "
     "beside the warp's loaded once for all rows",
     "sobel()이 실행하는 것: 어떤 배치와 경계에도 같음; 절반은 16비트 실수, 워프 옆의 화소는 모든 "
     "행에 한 번 읽음"},
    {"the pixels beside a thread's four come from the lanes beside it",
     "스레드의 화소 넷 옆에 있는 화소는 옆 레인에서 받음"},
    {"a thread goes down four pixels of a column; differences and sums of three rows in registers",
     "스레드가 열의 화소 넷을 내려감; 세 행의 차와 합은 레지스터에"},
    {"in registers up to a cap, the rest in local memory",
     "상한까지는 레지스터에, 나머지는 지역 메모리에"},
    {"in shared memory, read there coalesced", "공유 메모리에, 병합해 읽음"},
    {"in registers, read through a texture", "레지스터에, 텍스처로 읽어서"},
    {"the words in registers, as many as the compiler takes",
     "워드를 레지스터에, 컴파일러가 쓰는 만큼"},
    {"the loads of eight rows asked for before the first of their sums is written",
     "첫 합을 쓰기 전에 여덟 행의 읽기를 요청"},
    {"both in one kernel: column sums in shared memory, prefix sums by each warp, no scratch "
     "memory",
     "둘을 한 커널로: 열의 합은 공유 메모리에, 누적 합은 워프마다, 임시 메모리 없음"},
    {"the same from global memory, with clamped indices",
     "같은 것을 전역 메모리에서, 색인을 경계에 고정하여"},
    {"sums read from shared memory in pairs, taken apart and added by dot products",
     "공유 메모리에서 합을 둘씩 읽어, 내적으로 나누고 더함"},
    {"along the rows the difference of two prefix sums, which a block makes together",
     "행을 따라 누적 합 두 개의 차, 누적 합은 블록이 함께 만듦"},
    {"sums along the rows, then down the columns of these",
     "행을 따라 더하고, 그 합을 열을 따라 더함"},
    {"what threshold() launches: the next word's sums asked for before this one is stored, 16 rows "
     "of loads in flight, blocks by the image's size; prefix sums where the window outgrows a "
     "block",
     "threshold()가 실행하는 것: 이 워드를 쓰기 전에 다음 워드의 합을 요청, 진행 중인 읽기 16행, "
     "영상 크기에 따른 블록; 창이 블록보다 크면 누적 합"},
    {"each thread slides down a column, then along a row: one pixel in, one out",
     "스레드가 열을 따라, 다음에는 행을 따라 미끄러짐: 화소 하나가 들어오고 하나가 나감"},
    {"each thread adds up its window, read through a texture that clamps at the border",
     "스레드가 제 창을 모두 더함, 경계에 고정하는 텍스처로 읽어서"},
    {"the block's pixels and their halo in shared memory, of a size given at launch, in strips "
     "where it is too large",
     "블록의 화소와 그 둘레를 공유 메모리에, 크기는 실행할 때 정하며 너무 크면 띠로 나눔"},
    {"a lane a row: slides along shared column sums instead of adding prefixes; four columns a "
     "thread, two sums a register",
     "레인마다 한 행: 누적 합 대신 공유 메모리의 열 합을 따라 미끄러짐; 스레드마다 열 넷, "
     "레지스터마다 합 둘"},
    {"a half-warp's 16 pixels of three bytes, at one of four places in 192 bytes",
     "하프 워프의 3바이트 화소 16개, 192바이트 안의 네 자리 가운데 하나"},
    {"words a stride apart, from any word on", "어느 워드에서든 시작해 일정한 간격으로 놓인 워드"},
    {"a half-warp loads 16 adjacent floats: one transaction",
     "하프 워프가 이웃한 float 16개를 읽음: 트랜잭션 한 번"},
    {"it loads 16 floats, each 128 bytes from the next: sixteen",
     "서로 128바이트 떨어진 float 16개를 읽음: 열여섯 번"},
    {"by words of 16 bytes", "16바이트 워드로"},
    {"a copy by words of 4 bytes", "4바이트 워드로 복사"},
    {"by words of 8 bytes", "8바이트 워드로"},
    {"a thread for four, read as 16 bytes", "넷마다 스레드 하나, 16바이트로 읽음"},
    {"arithmetic on a state of each element, a thread for an element",
     "원소마다 상태를 두고 산술, 원소마다 스레드 하나"},
    {"a thread for two, read as 8 bytes", "둘마다 스레드 하나, 8바이트로 읽음"},
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
    {"references a pixel", "화소마다 접근"},
    {"transactions a request", "요청마다 트랜잭션"},
    {"bytes moved a pixel", "화소마다 옮긴 바이트"},
    {"shared passes a request", "요청마다 공유 메모리 처리 횟수"},
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
    {"block", "블록"},
    {"window", "창"},
    {"stride", "간격"},
    {"offset", "오프셋"},
    {"live", "살아 있는 워드"},
    {"not run", "실행하지 않음"},
    {"★ the best block of each kernel", "★ 커널마다 가장 좋은 블록"},
    {"interrupted: not all of it was measured", "중단됨: 모두 재지는 못했음"},
    {"bandwidth halved at half multiprocessors", "멀티프로세서 절반에서 대역폭을 절반으로"},
    {"bandwidth halved at many multiprocessors", "멀티프로세서가 많을 때 대역폭을 절반으로"},
    {"multiprocessors halved at all bandwidth", "대역폭 전체에서 멀티프로세서를 절반으로"},
    {"multiprocessors halved at half bandwidth", "대역폭 절반에서 멀티프로세서를 절반으로"},
    {"multiprocessors", "멀티프로세서"},
    {"bandwidth", "대역폭"},
    {"both", "둘 다"},
    {"neither", "어느 것도 아님"},
    {"latency", "지연"},
    {"issue", "명령 발행"},
    {"shared memory", "공유 메모리"},
    {"texture", "텍스처"},
    {"warp instructions", "워프 명령"},
    {"active lanes", "활동 레인"},
    {"divergent branches", "발산하는 분기"},
    {"device", "장치"},
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
    {"nine reads of global memory; the weights in constant memory",
     "전역 메모리를 아홉 번 읽음; 가중치는 상수 메모리에"},
    {"nine reads of global memory; no conditions inside the image; the division a multiplication "
     "by the reciprocal",
     "전역 메모리를 아홉 번 읽음; 영상 안에는 조건 없음; 나눗셈은 역수의 곱셈으로"},
    {"nine reads of global memory; the block's shape known to the compiler",
     "전역 메모리를 아홉 번 읽음; 컴파일러가 아는 블록 모양"},
    {"nine reads of global memory; the document's first: weights in global memory, a division and "
     "four conditions a tap, loops",
     "전역 메모리를 아홉 번 읽음; 문서의 첫 단계: 가중치는 전역 메모리에, 탭마다 나눗셈 하나와 "
     "조건 네 개, 반복문"},
    {"nine reads of global memory; the loops over the filter unrolled",
     "전역 메모리를 아홉 번 읽음; 필터를 도는 반복문을 펼침"},
    {"method IV; the weights in constant memory", "방법 IV; 가중치는 상수 메모리에"},
    {"method IV; no conditions inside the image; the division a multiplication by the reciprocal",
     "방법 IV; 영상 안에는 조건 없음; 나눗셈은 역수의 곱셈으로"},
    {"method IV; the block's shape known to the compiler", "방법 IV; 컴파일러가 아는 블록 모양"},
    {"method IV; the document's first: weights in global memory, a division and four conditions a "
     "tap, loops",
     "방법 IV; 문서의 첫 단계: 가중치는 전역 메모리에, 탭마다 나눗셈 하나와 조건 네 개, 반복문"},
    {"method IV; the loops over the filter unrolled", "방법 IV; 필터를 도는 반복문을 펼침"},
    {"nine reads through a 1-D texture; the weights in constant memory",
     "1차원 텍스처로 아홉 번 읽음; 가중치는 상수 메모리에"},
    {"nine reads through a 1-D texture; no conditions inside the image; the division a "
     "multiplication by the reciprocal",
     "1차원 텍스처로 아홉 번 읽음; 영상 안에는 조건 없음; 나눗셈은 역수의 곱셈으로"},
    {"nine reads through a 1-D texture; the block's shape known to the compiler",
     "1차원 텍스처로 아홉 번 읽음; 컴파일러가 아는 블록 모양"},
    {"nine reads through a 1-D texture; the document's first: weights in global memory, a division "
     "and four conditions a tap, loops",
     "1차원 텍스처로 아홉 번 읽음; 문서의 첫 단계: 가중치는 전역 메모리에, 탭마다 나눗셈 하나와 "
     "조건 네 개, 반복문"},
    {"nine reads through a 1-D texture; the loops over the filter unrolled",
     "1차원 텍스처로 아홉 번 읽음; 필터를 도는 반복문을 펼침"},
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
};

}  // namespace

std::string_view korean_of(std::string_view text) {
  const auto found = texts.find(text);
  return found == texts.end() ? text : found->second;
}

}  // namespace warpwise::lab::report
