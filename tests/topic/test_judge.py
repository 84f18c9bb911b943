from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.errors import TopicError
from crawler.records import Extraction, Link, similarity_of
from crawler.topic.embeddings import Embeddings
from crawler.topic.files import Topic
from crawler.topic.judge import Judge, url_words
from crawler.topic.vector import TopicVector

TOPICS = Path(__file__).parents[2] / "topics"
TRAVEL = Topic(
    name="travel",
    path=Path("travel.toml"),
    keywords={"旅游": 1.0, "景点": 0.6, "酒店": 0.3},
    # The topic of papers.md C8; judged by its words alone.
    vector=TopicVector({"旅游": 3, "景点": 2, "酒店": 1}, embeddings=Embeddings({}, np.zeros((0, 1), np.float32))),
)

PAGES = {
    "machine-learning": Extraction(
        title="用卷积神经网络识别手写数字",
        body="本文用 PyTorch 搭建一个卷积神经网络。先读取训练集，定义损失函数，再用梯度下降训练模型，"
        "最后在测试集上得到准确率。为了防止过拟合，在全连接层前加入 Dropout。",
    ),
    "cloud-ops": Extraction(
        title="用 kubeadm 部署 Kubernetes 集群",
        body="准备三台 CentOS 服务器，安装 Docker 与 kubelet，执行 kubeadm init，然后部署网络插件，"
        "把另外两个节点加入集群，最后用 Prometheus 和 Grafana 做监控。",
    ),
    "algorithms": Extraction(
        title="LeetCode 两数之和题解",
        body="题目给定一个整数数组，要求返回两个数的下标。暴力枚举的时间复杂度太高，改用哈希表只需遍历一次；"
        "若数组已排序，也可以用双指针。",
    ),
    "frontend": Extraction(
        title="浅谈 Vue 的响应式原理",
        body="Vue 组件在渲染时收集依赖，数据变化后通知视图更新。与 React 的虚拟 DOM 相比各有优劣，"
        "用 JavaScript 的 Proxy 可以自己写一个最小的实现，再用 webpack 打包。",
    ),
    "java": Extraction(
        title="Java 线程池源码分析",
        body="ThreadPoolExecutor 是 JUC 中的类，提交任务时先看核心线程数，再进入阻塞队列。Spring Boot 项目里"
        "可以用注解声明异步方法，注意 synchronized 与 volatile 的区别。",
    ),
    "security": Extraction(
        title="一次 SQL 注入的漏洞复现",
        body="目标网站没有过滤参数，可以用联合查询注入读取管理员密码，再上传 webshell 提权。绕过 WAF 的 payload "
        "如下，修复办法是参数化查询。这道 CTF 题的 flag 在根目录。",
    ),
    "mathematics": Extraction(
        title="矩阵特征值的几个定理",
        body="设矩阵可对角化，则特征向量构成一组基。先证明引理：不同特征值的特征向量线性无关。由行列式的定义，"
        "命题得证；推论是正交矩阵的特征值模为一。",
    ),
    "life-essays": Extraction(
        title="我的年终总结",
        body="这一年过得很快，工作之余读书、旅行、看电影，也常常感到孤独和迷茫。回到故乡陪父母过春节，"
        "和朋友聊起青春与梦想，觉得平凡的生活也是幸福。",
    ),
}


@pytest.fixture(scope="module")
def judges() -> dict[str, Judge]:
    return {name: Judge(Topic.load(name, TOPICS).learn()) for name in PAGES}


def test_each_page_is_nearest_to_its_own_topic(judges: dict[str, Judge]) -> None:
    for name, page in PAGES.items():
        similarities = {topic: judge.judge(page).similarity for topic, judge in judges.items()}
        assert max(similarities, key=lambda topic: similarities[topic]) == name, (name, similarities)


def test_a_page_of_the_topic_is_kept(judges: dict[str, Judge]) -> None:
    for name, page in PAGES.items():
        judgement = judges[name].judge(page)
        assert judgement.on_topic, (name, judgement)
        assert not judgement.reason
        assert 0.3 <= judgement.similarity < 1.0
        assert 0.0 < judgement.text_relevance <= 1.0


@pytest.mark.parametrize(("threshold", "kept"), [(0.0, True), (0.0028, True), (0.0029, False), (1.0, False)])
def test_the_threshold_is_the_least_similarity_that_is_shown(threshold: float, kept: bool) -> None:
    page = Extraction(body="旅游" + "今天的新闻" * 200)
    judgement = Judge(replace(TRAVEL, threshold=threshold)).judge(page)
    assert judgement.on_topic == kept == (judgement.similarity >= threshold), judgement
    if not kept:
        assert str(judgement.reason).endswith(f"is below the threshold {threshold:g}")


def test_one_word_does_not_make_a_long_page_on_topic(judges: dict[str, Judge]) -> None:
    page = Extraction(title=PAGES["life-essays"].title, body=PAGES["life-essays"].body * 20 + "神经网络")
    judgement = judges["machine-learning"].judge(page)
    assert not judgement.on_topic
    assert "below the threshold 0.3" in str(judgement.reason)


def test_traditional_characters_are_judged_alike(judges: dict[str, Judge]) -> None:
    traditional = Extraction(title="機器學習入門", body="監督學習、強化學習與神經網路的損失函數，梯度下降。")
    simplified = Extraction(title="机器学习入门", body="监督学习、强化学习与神经网路的损失函数，梯度下降。")
    judge = judges["machine-learning"]
    assert judge.judge(traditional) == judge.judge(simplified)


def test_example_c8_with_damping() -> None:
    page = Extraction(title="旅游", body="旅游，酒店；新闻。旅游！新闻、新闻：新闻")
    # sqrt(2) + 3 for 旅游, 1 for 酒店, sqrt(4) for 新闻
    travel = 2**0.5 + 3
    dot = 3 * travel + 1
    whole = Judge(TRAVEL).judge(page)
    assert whole.nearness == pytest.approx(dot / (14 * (travel**2 + 1 + 4)) ** 0.5)
    # 旅游 three times, 酒店 once, of eight tokens
    assert whole.text_relevance == pytest.approx((3 * 1 + 1 / 3) / 8)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (Extraction(), "the page has no body text"),
        (Extraction(title="旅游"), "the page has no body text"),
        (Extraction(title="旅游", reason="the page is only a script"), "the page is only a script"),
        (Extraction(body="今天的新闻"), "similarity 0.000 is below the threshold 0.3"),
    ],
)
def test_a_page_that_is_not_kept_says_why(page: Extraction, reason: str) -> None:
    judgement = Judge(TRAVEL).judge(page)
    assert not judgement.on_topic
    assert str(judgement.reason) == reason


def test_a_topic_that_was_not_learned_is_refused() -> None:
    with pytest.raises(TopicError, match="'java' has no learned words yet"):
        Judge(Topic(name="java", path=Path("java.toml")))


LINKS = [
    # link, relevance over all words, relevance of anchor and title
    (Link("https://a.example/", anchor="旅游"), 1.0, 1.0),
    (Link("https://a.example/", anchor="旅游 新闻"), 0.5, 0.5),
    (Link("https://a.example/", anchor="新闻", title="景点"), 1 / 3, 1 / 3),
    (Link("https://a.example/", anchor="新闻", around="旅游 酒店"), 4 / 9, 0.0),
    (Link("https://a.example/%E6%97%85%E6%B8%B8/lhasa", anchor="图片"), 1 / 3, 0.0),
    (Link("https://a.example/list?q=%E6%97%85%E6%B8%B8&page=3"), 1 / 3, 0.0),
    (Link("https://a.example/2019/08/"), 0.0, 0.0),
    (Link("https://旅游.example/"), 0.0, 0.0),
]


@pytest.mark.parametrize(("link", "relevance", "anchor_relevance"), LINKS)
def test_links_are_weighed_by_their_words(link: Link, relevance: float, anchor_relevance: float) -> None:
    (outlink,) = Judge(TRAVEL).outlinks([link])
    assert outlink.link is link
    assert outlink.relevance == pytest.approx(relevance, abs=1e-4)
    assert outlink.anchor_relevance == pytest.approx(anchor_relevance, abs=1e-4)


def test_the_words_of_a_link_alone() -> None:
    link = Link("https://a.example/%E6%97%85%E6%B8%B8/lhasa", anchor="图片", around="酒店 酒店 酒店")
    (outlink,) = Judge(TRAVEL).outlinks([link])
    assert outlink.own_relevance == pytest.approx(1 / 3, abs=1e-4)
    assert outlink.relevance == pytest.approx((1 + 3 * 1 / 3) / 6, abs=1e-4)


def test_links_keep_their_order_and_repeat_their_value() -> None:
    judge = Judge(TRAVEL)
    links = [link for link, _, _ in LINKS]
    first = judge.outlinks(links)
    assert [outlink.link for outlink in first] == links
    assert judge.outlinks(links) == first
    assert judge.outlinks([]) == ()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://a.example/", ""),
        ("https://a.example/deep-learning/cnn_1.html", "deep learning cnn 1"),
        ("https://a.example/tags/%E7%AE%97%E6%B3%95/?page=2&sort=new", "tags 算法 page 2 sort new"),
        ("https://a.example/html/notes.HTML?print=1", "html notes print 1"),
        ("https://a.example/why.do.we.write/", "why do we write"),
        ("https://a.example/%FF", "\ufffd"),
    ],
)
def test_url_words(url: str, words: str) -> None:
    assert url_words(url) == words


def test_a_page_is_what_its_author_tagged_it_with(judges: dict[str, Judge]) -> None:
    page = Extraction(title="第三天", body="今天接着写昨天没有写完的部分，遇到几个问题，都一一记在下面，以后再来看。")
    judge = judges["algorithms"]
    assert not judge.judge(page).on_topic
    assert judge.judge(page, ("动态规划", "LeetCode")).on_topic
    about = replace(page, body="贪心算法与动态规划的例子，两种算法的时间复杂度。")
    assert judge.judge(about, ("旅行", "摄影")).similarity < judge.judge(about).similarity


@pytest.mark.parametrize(
    ("wanted", "body", "kept"),
    [
        ("zh", "旅游的景点很多，酒店也很好。", True),
        ("zh", "旅游 is the word for travel, and this page tells in English where to stay and what to see.", False),
        ("en", "旅游的景点很多，酒店也很好。", False),
        ("zh", "旅游", True),  # too short to tell
        ("", "旅游 is the word for travel, and this page tells in English where to stay and what to see.", True),
    ],
)
def test_pages_of_another_language_are_dropped(wanted: str, body: str, kept: bool) -> None:
    judgement = Judge(replace(TRAVEL, language=wanted, threshold=0.01)).judge(Extraction("", body))
    assert judgement.on_topic == kept
    assert ("the topic accepts" in str(judgement.reason)) != kept


@given(st.lists(st.floats(0.001, 15), min_size=2, max_size=2, unique=True).map(sorted))
def test_similarity_rises_with_nearness_and_never_reaches_one(near: list[float]) -> None:
    low, high = map(similarity_of, near)
    assert 0 < low <= high < 1
    assert low < high or near[1] - near[0] < 1e-9
    assert similarity_of(0.3) == pytest.approx(0.3)
