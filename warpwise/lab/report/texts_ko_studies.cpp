#include "warpwise/lab/report/korean.hpp"

// Titles, axes and kernels of the studies' tables.
namespace warpwise::lab::report {
namespace {

constexpr Translation study_texts[] = {
    {"bottleneck of each kernel: the multiprocessors, or the bandwidth of memory",
     "커널이 어느 자원에 달렸나: 멀티프로세서, 또는 메모리의 대역폭"},
    {"bank conflicts: the cost of a stride between the lanes of a warp in shared memory, and "
     "padding as the cure",
     "뱅크 충돌: 공유 메모리에서 워프의 레인 사이 간격이 치르는 비용과, 처방인 패딩"},
    {"barriers and latency hiding: the same loads and arithmetic with and without a copy to shared "
     "memory",
     "배리어와 지연 감춤: 같은 읽기와 산술을, 공유 메모리로 복사하며 또는 하지 않고"},
    {"latency hiding: the amount of arithmetic per thread that fits behind its loads and stores",
     "지연 감춤: 스레드가 산술을 얼마나 해야 읽기와 쓰기의 시간 밖으로 나오나"},
    {"time against occupancy, limited by unused shared memory, with 1, 2 and 4 loads in flight per "
     "thread",
     "점유율에 따른 시간: 쓰지 않는 공유 메모리로 점유율을 정하고, 스레드마다 진행 중인 읽기는 1, "
     "2, 4개"},
    {"idle threads: each organisation of convert's ladder, with 64 pixels per group of threads",
     "convert 사다리의 구성마다, 함께 맡은 화소 64개에서 노는 스레드의 수"},
    {"best block shape for each organisation of convert's ladder",
     "convert 사다리의 구성마다 알맞은 블록 모양"},
    {"registers or local memory: many live words with a cap on registers and without, in shared "
     "memory, and read through a texture",
     "레지스터냐 지역 메모리냐: 살아 있는 많은 워드를 레지스터의 상한이 있을 때와 없을 때, 공유 "
     "메모리에서, 텍스처로 읽어서"},
    {"memory transactions: the cost of stride and misalignment of the words that lanes load from "
     "global memory",
     "레인이 전역 메모리에서 읽는 워드의 간격과 정렬이 트랜잭션으로 치르는 비용"},
    {"transfers: the time of moving operands to the GPU and back, beside the kernels, and its "
     "overlap",
     "데이터가 GPU로 오가는 길의 비용을 커널과 견주고, 얼마나 겹치는지"},
    {"accesses of 4, 8 and 16 bytes: instructions and registers of a copy, and two kernels that "
     "run best with narrow accesses",
     "4, 8, 16바이트 접근: 복사의 명령과 레지스터, 그리고 좁은 접근이 맞는 커널 두 개"},
    {"A block for a row of 256 elements, from few blocks to many",
     "원소 256개인 행마다 블록 하나, 적은 블록에서 많은 블록까지"},
    {"A half-warp served by one transaction, and by sixteen",
     "하프 워프를 트랜잭션 한 번에, 그리고 열여섯 번에"},
    {"A state that grows until the registers do not hold it",
     "레지스터가 담지 못할 때까지 커지는 상태"},
    {"Additions beside 1 to 8 loads", "읽기 1~8번에 딸린 덧셈"},
    {"Adjacent words of 8 to 128 bits that begin at every word",
     "어느 워드에서나 시작하는, 8~128비트의 이웃한 워드"},
    {"Blocks of 32 to 1024 threads, as many as an SM takes",
     "스레드 32~1024개인 블록, 멀티프로세서가 받는 만큼"},
    {"Copies by 4, 8 and 16 bytes, blocks of 64 to 1024", "4, 8, 16바이트씩 복사, 블록은 64~1024"},
    {"Divisions beside 1 to 8 loads", "읽기 1~8번에 딸린 나눗셈"},
    {"Each organisation at every shape of block", "구성마다 모든 블록 모양에서"},
    {"Eight resident blocks: 64 warps of an SM", "상주 블록 여덟 개: 멀티프로세서의 워프 64개"},
    {"Four loads in blocks of 128 threads and of 512",
     "스레드 128개인 블록과 512개인 블록에서 읽기 네 번"},
    {"Four places of a half-warp's 48 bytes of RGB24 in segments of 64",
     "64바이트 조각 안에서 하프 워프의 RGB24 48바이트가 놓이는 네 자리"},
    {"How many words are alive", "살아 있는 워드의 수"},
    {"How often the words are touched", "워드를 건드리는 횟수"},
    {"Multiplications beside 1 to 8 loads", "읽기 1~8번에 딸린 곱셈"},
    {"Multiplications beside a load and 2 to 8 stores", "읽기 한 번과 쓰기 2~8번에 딸린 곱셈"},
    {"Stride and misalignment of words of 32 bits", "32비트 워드의 간격과 어긋난 정렬"},
    {"Threads executed and idle for 64 pixels", "화소 64개에 실행된 스레드와 노는 스레드"},
    {"Two resident blocks: 16 warps of an SM", "상주 블록 두 개: 멀티프로세서의 워프 16개"},
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
    {"each loaded value goes through a chain of additions", "읽은 값마다 덧셈을 줄지어 거침"},
    {"through a chain of divisions", "나눗셈을 줄지어 거침"},
    {"through a chain of multiplications", "곱셈을 줄지어 거침"},
    {"four", "네 개"},
    {"a thread has one load in flight", "스레드마다 진행 중인 읽기 하나"},
    {"two, which do not wait for one another", "서로 기다리지 않는 두 개"},
    {"in registers up to a cap, the rest in local memory",
     "상한까지는 레지스터에, 나머지는 지역 메모리에"},
    {"in shared memory, read there coalesced", "공유 메모리에, 병합해 읽음"},
    {"in registers, read through a texture", "레지스터에, 텍스처로 읽어서"},
    {"the words in registers, as many as the compiler takes",
     "워드를 레지스터에, 컴파일러가 쓰는 만큼"},
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
    {"stride", "간격"},
    {"live", "살아 있는 워드"},
    {"latency", "지연"},
};

}  // namespace

std::span<const Translation> korean_texts_of_studies() { return study_texts; }

}  // namespace warpwise::lab::report
