#include "warpwise/lab/report/words/korean.hpp"

// The terms follow the source documents and README.ko.md. No Korean particle follows a {}, because
// its form would depend on the last sound of the value.
namespace warpwise::lab::report {

const Words korean = {
    .language = "ko",
    .title = "최적화 단계마다 얻은 것",
    .contents = "차례",

    .intro =
        "사다리 {}개의 단 {}개와 실험 {}개를 잰 GPU: {}. 사다리는 과제 하나를 여러 단으로 푸는데, "
        "각 단은 앞 단에서 "
        "착상 하나를 바꾼 CUDA 커널이고, 마지막 단 shipped는 라이브러리가 실제로 실행하는 "
        "것입니다. 실험은 한 가지만 바꾸어 가며 시간을 잽니다. "
        "한계(roof)는 같은 바이트를 GPU가 스스로 "
        "복사할 때 걸리는 시간이며, 다른 한계를 쓰는 사다리는 그것을 밝힙니다. 아래의 모든 수는 이 "
        "쪽 끝에 적힌 기록에서 계산했습니다.",
    .found = "알아낸 것",
    .front_times = "첫 단과 견준 속도: {} {}, {} {}, 크기 {}.",
    .front_roof = "마지막 단은 한계의 {}(크기 {}).",
    .front_roofs = "마지막 단은 한계의 {}(크기 {}), {}(크기 {}).",
    .roof_of_reads = "이 사다리의 한계는 복사가 아니라 같은 바이트를 가장 빨리 읽는 속도입니다.",
    .roof_of_differences =
        "이 사다리의 한계는 복사가 아니라, 명령 하나로 네 개씩 셈하는 __vsadu4의 바이트 차의 "
        "절댓값 "
        "계산 속도입니다. 커널이 덜어 낸 계산이나 다른 장치가 한 계산도 세므로 100 %를 넘을 수 "
        "있습니다.",
    .front_step = "가장 큰 한 걸음: {}, {}: {}.",
    .front_document_same =
        "문서에서 가장 좋았던 단 {}(당시 {})이 지금도 문서의 단 가운데 가장 좋습니다. 지금은 {}.",
    .front_document_other =
        "문서에서 가장 좋았던 단 {}(당시 {})은 지금 {}이고, 더는 문서의 단 가운데 가장 좋지 "
        "않습니다. 지금 가장 좋은 단: {}, {}.",
    .front_document_alone = "문서의 단 {}: 당시 {}, 지금 {}.",
    .counted_only =
        "전체를 잰 사다리가 없습니다. 이 기록에는 센 값이나 실험, 사다리의 일부만 있습니다.",
    .no_longer = "문서에서 가장 좋았지만 이제는 아닌 것",
    .no_longer_rung =
        "{}: 가장 좋았던 단은 {}(첫 단과 견주어 {}, 지금 {}), 지금은 {}(당시 {}, 지금 {}).",
    .no_longer_block = "{}, {}: 문서의 블록 {} 대신 지금은 {} 블록이 가장 좋습니다(속도 {}).",
    .all_hold = "없습니다. 문서에서 가장 좋았던 것이 이 기록에서도 가장 좋습니다.",
    .front_peers = "다른 라이브러리와 견주면",
    .peers_summary = "{0}: {2}번의 비교 가운데 {1}번 더 빠릅니다. 속도는 상대의 {3}~{4}배.",

    .ladder_heading = "사다리 {}",
    .study_heading = "실험 {}",
    .rows_shown = "원문서의 행:",
    .staircase = "첫 단과 견준 속도(배)",
    .then_bar = "문서, {}: 화살표 앞",
    .now_bar = "지금, {}",
    .then_and_now = "{} → {}",
    .share_chart = "한계에 대한 비율, %",
    .branch = "{}에서 {}까지",
    .step_from = "바로 앞 단",
    .rungs_table = "{}의 모든 단, 크기별로",
    .rung = "단",
    .what_is_new = "새로운 것",
    .time = "캐시가 빈 시간, µs",
    .fifth = "5 % 아래, µs",
    .ninety_fifth = "95 % 아래, µs",
    .of_roof = "한계에 대한 비율",
    .over_before = "앞 단 대비 속도",
    .over_first = "첫 단 대비 속도",
    .document_time = "문서, µs",
    .document_over_first = "문서, 첫 단 대비",
    .not_run = "실행하지 않음: {}",
    .beside_document = "문서와 나란히, {}",
    .kernel = "커널",
    .at = "조건",
    .knees = "{}에 따른 곡선이 평평하지 않게 되는 곳",
    .knee_at = "꺾이는 곳",
    .level = "그 앞의 높이, µs",
    .slope = "그 뒤의 기울기, 1마다 µs",
    .no_knee = "없음: {}",
    .halved = "자원을 절반으로 줄이면 커널이 잃는 것",
    .bound_by = "무엇에 달렸나",
    .cpu_rows = "같은 일을 CPU에서",
    .implementation = "구현",
    .size = "크기",
    .interrupted = "중단되었습니다. 모두 재지는 못했습니다.",
    .from_file = "{}: {}, {}.",
    .nothing_drawn = "그릴 것이 없습니다: {}.",

    .plot_dots = "커널마다 점 하나: {2}, {3}에서 {4}까지.",
    .plot_lines = "{0}에 따른 선: {2}, {3}에서 {4}까지.",
    .plot_maps = "{0}, {1}에 따른 칸의 지도: {2}, {3}에서 {4}까지.",
    .document_dot = "문서의 속도 향상이라면 놓일 곳",
    .best_cell = "가장 좋은 값 {}, {}.",
    .map_scale = "옅은 색에서 짙은 색으로: {}, {}에서 {}까지.",
    .as_table = "표로 보기({}행), 저장하기",
    .save = "{} 저장하기",

    .roofline = "한계 아래의 모든 단",
    .roofline_about =
        "점 하나하나가 {}에서 잰 사다리의 단이며, 잰 것 가운데 가장 큰 크기입니다. 점을 가리키거나 "
        "탭 키로 옮겨 다니면 이름이 "
        "보입니다. 오른쪽일수록 같은 바이트에 더 많은 일을 하며, 선보다 훨씬 위에 놓일 수 있는 "
        "것은 없습니다. 일의 양은 에뮬레이터가 "
        "PTX 명령으로 셉니다. ptxas가 이것을 다른 명령으로 바꾸므로 비스듬한 선은 어림입니다.",
    .roofline_x = "옮겨야 하는 1000바이트마다 워프 명령",
    .roofline_y = "그 바이트의 GB/s",
    .roofline_none = "사다리의 시간과 센 값을 함께 담은 기록이 없습니다.",
    .copy_roof = "수평선: {} GB/s, GPU가 스스로 복사할 때의 속도.",
    .read_roof = "점선: {} GB/s, 읽기만 할 때의 속도.",
    .issue_roof = "비스듬한 선: 1초에 워프 명령 {}×10억 개, 멀티프로세서와 클록마다 네 개.",
    .roofline_point = "{}: {} GB/s, 한계의 {}, {}",
    .per_kilobyte = "1000바이트마다 워프 명령",
    .ladder = "사다리",

    .predictions = "예측한 시간과 잰 시간",
    .predictions_about =
        "기록된 모든 시간을 lab predict가 GPU 없이 예측한 값입니다. 에뮬레이터가 센 값과 GPU의 "
        "프로파일에서, 모든 커널에 같은 "
        "모델로 계산합니다. 예측한 시간은 모델의 값이고, 나머지는 잰 값입니다. 실선에서는 둘이 "
        "같고, 점선에서는 예측이 두 배로 길거나 "
        "절반입니다.",
    .predictions_documents = "문서의 시간, 문서의 GPU에서",
    .predictions_x = "잰 시간, µs",
    .predictions_y = "예측한 시간, µs",
    .predictions_picture = "{}: 점 {}개의 예측한 시간과 잰 시간",
    .predictions_series = "{}: 점 {}개, 순위 상관 {:.2f}, 오차의 중앙값 {}",
    .predictions_series_short = "{}: 점 {}개, 오차의 중앙값 {}",
    .predictions_point = "{}, {}: 예측 {}, 잰 값 {}, 비 {:.2f}",
    .predictions_far = "두 배 넘게 빗나간 것: {}.",
    .predictions_near = "두 배 넘게 빗나간 것은 없습니다.",
    .predictions_miss = "{} {:.2f}({}에 달림)",
    .predictions_front =
        "커널이 얼마나 걸리는지는 에뮬레이터가 센 값에서 GPU 없이도 말할 수 있습니다. 기록된 시간 "
        "{}개 전체에서 예측의 순위 상관은 "
        "{:.2f}(1이면 순서가 같음), 오차의 중앙값은 {}입니다. 하나하나와, 크게 빗나간 것:",
    .predictions_experiments = "실험마다 예측이 얼마나 맞았나",
    .predictions_from =
        "{}, 커밋 {}. 빗나간 것 뒤의 수는 예측한 시간을 잰 시간으로 나눈 값 가운데 가장 나쁜 "
        "것입니다. 모델과, 빗나간 까닭으로 "
        "알려진 것은 docs/prediction.md에 있습니다.",
    .whole_study = "전체",
    .experiment = "실험",
    .points = "점",
    .rank_correlation = "순위 상관",
    .median_error = "오차의 중앙값",
    .least_ratio_of_time = "예측 : 잰 값, 최소",
    .median_ratio_of_time = "중앙값",
    .greatest_ratio_of_time = "최대",
    .predicted_time = "예측한 시간, µs",
    .measured_time = "잰 시간, µs",
    .ratio_of_time = "예측 : 잰 값",
    .bottleneck = "무엇에 달렸나",
    .profile = "프로파일",

    .peers = "다른 라이브러리와 견주면",
    .peers_about =
        "라이브러리가 내놓는 것을, 같은 일을 하는 다른 라이브러리와 견줍니다. 같은 데이터로 같은 "
        "실행에서 쟀습니다. 1보다 크면 이 "
        "라이브러리가 더 빠릅니다.",
    .primitive = "기본 연산",
    .variant = "종류",
    .times_as_fast = "속도(배)",
    .counters = "센 값과 하드웨어 카운터",
    .counters_about =
        "에뮬레이터가 커널에서 센 값을, 같은 실행을 두고 GPU의 카운터가 말하는 값과 나란히 "
        "놓았습니다. ptxas가 PTX를 다른 명령으로 "
        "바꾸므로 명령의 수는 다릅니다. 요청, 섹터, 처리 횟수는 같아야 합니다.",
    .count = "센 것",
    .comparisons = "견준 커널",
    .equal = "같음",
    .least_ratio = "GPU : 에뮬레이터, 최소",
    .greatest_ratio = "GPU : 에뮬레이터, 최대",
    .ladder_or_study = "사다리 또는 실험",

    .sources = "커널의 소스",
    .sources_about =
        "여기에 설치된 그대로입니다. 왼쪽은 단의 워프 명령 가운데 그 줄이 차지하는 비율이고, 줄 "
        "아래는 워프의 요청 하나가 메모리 "
        "접근에서 치르는 것입니다. 에뮬레이터가 센 값이며, 적혀 있는 컴파일러에서 정확합니다.",
    .source_file = "{}: {}",
    .counts_about = "크기 {}, 계산 능력(compute capability) {}, 컴파일러 {}, 커밋 {}에서 셌습니다.",
    .counts_of_another = "이 파일의 다른 판에서 센 값만 있습니다.",
    .counts_elsewhere = "실행되는 {}의 줄:",
    .divergent = "분기 {1:.0f}개 가운데 {0:.0f}개 갈라짐",
    .accesses = {{{"global_load", "전역 읽기: 트랜잭션 {}, 이상 {}"},
                  {"global_store", "전역 쓰기: 트랜잭션 {}, 이상 {}"},
                  {"global_atomic", "전역 원자 연산: 트랜잭션 {}, 이상 {}"},
                  {"local_load", "지역 읽기: 트랜잭션 {}, 이상 {}"},
                  {"local_store", "지역 쓰기: 트랜잭션 {}, 이상 {}"},
                  {"shared_load", "공유 읽기: 처리 {}번, 이상 {}"},
                  {"shared_store", "공유 쓰기: 처리 {}번, 이상 {}"},
                  {"shared_atomic", "공유 원자 연산: 처리 {}번, 이상 {}"},
                  {"constant", "상수: 처리 {}번, 이상 {}"},
                  {"texture", "텍스처: 요청 {:.0f}"}}},
    .constants = "컴파일할 때의 상수:",
    .method = "컴퓨터, 커밋, 방법",
    .records = "기록",
    .file = "파일",
    .method_of = "{}: 어떻게 쟀나",
    .files = "{} 외 {}개",
    .page_about =
        "warpwise lab report가 만들었습니다. 이 쪽에는 네트워크도 다른 파일도 필요 없습니다.",
};

}  // namespace warpwise::lab::report
