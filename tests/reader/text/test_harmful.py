"""Harmful pages by their words (papers.md 6.3). All texts are made up, after forms that public reports of hacked sites
describe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from crawler.analyse import analyse
from crawler.errors import TopicError
from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.reader.text.harmful import Harmful, harm, without_injected
from crawler.reasons import Code
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

ARTICLE = (
    "快速排序先选一个基准，把数组分成两部分，再分别排序。最坏的情况出现在每次都选到最大或最小的元素时，这时要比较的次数与长度的平方成正比。"
    "为了避免它，可以随机选择基准，或者取三个元素的中位数。归并排序总是把数组从中间分开，所以没有这样的情况，但是需要额外的空间。"
)
HARMFUL = {
    "casino, Chinese": "葡京娱乐城官网首页，真人荷官在线发牌，百家乐、老虎机应有尽有，注册送彩金58元。",
    "lottery": "北京赛车开奖结果走势图，时时彩计划群，幸运飞艇技巧，六合彩特码资料大全。",
    "sports betting": "皇冠体育投注平台，足球投注赔率最高，首存优惠100%，提现秒到账，亚博体育备用网址。",
    "chess and cards": "开元棋牌官方下载，棋牌平台排行榜，捕鱼赢钱，注册送彩金，棋牌娱乐代理加盟。",
    "adult films": "成人电影免费在线观看，日韩av在线播放，无码高清中文字幕，成人视频网站入口。",
    "adult stories": "激情小说阅读，乱伦系列，人妻系列，淫荡的女教师，成人小说全集下载。",
    "meetings": "同城约炮平台，学生妹上门服务，包夜价格，楼凤信息，一夜情交友。",
    "papers": "专业办证刻章，代开发票，假证制作，刻章办证一条龙服务。",
    "drugs": "迷药听话水哪里买，催情药货到付款，冰毒出售，壮阳药批发。",
    "words one after another": "百家乐 时时彩 老虎机 娱乐城 博彩 澳门赌场 真人娱乐 体育投注",
    "Traditional": "線上娛樂首選，百家樂必勝法，六合彩開獎結果，真人娛樂註冊送彩金。",
    "full width": "ｐｏｒｎ 免费看，成人视频，无码影片，黄片在线。",
    "casino, English": "Best online casino with live casino games, free spins and a casino bonus for every player.",
    "slots, Indonesian": "Daftar situs slot gacor, judi online terpercaya, poker online, togel hari ini.",
    "pills": "Buy cheap viagra online, cialis without prescription, free sex cam, porn videos.",
    "adult, English": "Free porno, xxx video clips, hentai, milf and sex video for adults.",
    "a title and a doorway": "威尼斯人官网：澳门赌场网上开户，百家乐技巧，真人视讯，送彩金活动。立即注册，客服在线。",
    "an article about nothing": (
        "赌球是很多人的爱好。足球投注要看赔率，投注平台要选大的，首充送更多。提现秒到的平台才可靠，博彩要理性。"
    ),
    "a live show": "成人直播大秀，裸聊免费试看，美女裸照，国产av，偷拍自拍福利。",
    "films by numbers": "最新女优作品番号：无码、有码、欧美av、三级片，每日更新，激情视频。",
}
BENIGN = {
    "an article": ARTICLE,
    "report on an intrusion": f"攻击者把时时彩和百家乐等关键词写进了首页的标题，只有爬虫才能看到。{ARTICLE}",
    "a police report": (
        "警方通报，近日破获一起网络博彩案件，抓获犯罪嫌疑人十二名，查扣电脑三十台，冻结资金两百万元。案件"
        "正在进一步审理之中，警方提醒市民不要相信高额回报的宣传。"
    ),
    "statistics": (
        "概率论的起源与赌场里的骰子游戏有关。十七世纪，一位贵族向数学家请教，两个骰子掷多少次才能使出现一"
        "对六的机会超过一半。这个问题引出了期望的概念。"
    ),
    "a doctor": (
        "勃起功能障碍的治疗首先要找原因。医生可能会开西地那非，也就是 Viagra。患有心脏病的人必须先咨询医生"
        "，因为它与硝酸酯类药物一起使用会使血压过低。"
    ),
    "a law": (
        "刑法规定，以营利为目的，组织、强迫、引诱、容留、介绍他人卖淫的，处五年以上有期徒刑。传播淫秽物品"
        "的，依照有关规定处罚。本条所称物品不包括有关人体生理的科学著作。"
    ),
    "a classifier": (
        "为了训练过滤色情图片的模型，我们收集了十万张图片，由三位标注人员分别标注。模型在测试集上的准确率"
        "是百分之九十六，误判大多发生在泳装和雕塑的图片上。"
    ),
    "a novel": "他年轻时好赌，把家里的田地都输光了。后来妻子带着孩子离开，他才明白过来，从此再也没有走进过那家茶馆。",
    "a multi-armed bandit": (
        "多臂老虎机问题：每个老虎机的回报不同，怎样在探索和利用之间取得平衡？ε-贪心算法以小概率随机选择，"
        "其余时候选择目前最好的。上置信界算法则看不确定性有多大。"
    ),
    "a game of cards": (
        "家里过年打麻将和扑克，规则各地不同。四川麻将要缺一门，广东麻将可以用鬼牌，北方有的地方不许吃牌。"
        "孩子们在旁边看，也就学会了。"
    ),
    "English security": "The plugin injected links to an online casino into old posts. We removed the file. " * 3,
    "a rash": "如图所示，病人的手臂出现红疹。" * 10,
    "nothing": "",
}


@pytest.mark.parametrize("name", HARMFUL)
def test_harmful(name: str) -> None:
    assert harm(HARMFUL[name]).is_harmful, harm(HARMFUL[name])


@pytest.mark.parametrize("name", BENIGN)
def test_benign(name: str) -> None:
    assert not harm(BENIGN[name]).is_harmful, harm(BENIGN[name])
    assert without_injected(BENIGN[name]) == BENIGN[name]


@pytest.mark.parametrize("name", HARMFUL)
def test_what_was_injected_goes_and_the_article_stays(name: str) -> None:
    whole = f"{ARTICLE}\n{HARMFUL[name]}\n{ARTICLE}"
    assert without_injected(whole) == f"{ARTICLE}\n{ARTICLE}"


@given(st.text(alphabet="百家乐时彩 博\nabc，。", max_size=60))
def test_laws(text: str) -> None:
    found, clean = harm(text), without_injected(text)
    assert 0.0 <= found.share <= 1.0 and (found.words > 0) == (found.share > 0)
    assert set(clean.split("\n")) <= set(text.split("\n")) and bool(clean.strip()) == bool(text.strip())
    assert without_injected(clean) == clean


def page(*paragraphs: str) -> Page:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return Page(f"<html><head><title>排序</title></head><body><article><h1>排序</h1>{text}</article></body></html>")


@pytest.fixture(scope="module")
def topic() -> Topic:
    return replace(
        Topic("t", Path("t.toml"), keywords={"排序": 1.0, "数组": 1.0, "娱乐城": 1.0}).learn(), threshold=0.0
    )


@pytest.mark.parametrize(
    ("wanted", "kept", "cut"), [("keep", True, False), ("label", True, True), ("drop", True, True)]
)
def test_an_article_with_injected_lines(topic: Topic, wanted: str, kept: bool, cut: bool) -> None:
    by = Judge(replace(topic, harmful=Harmful(wanted)))
    found = analyse(page(ARTICLE, HARMFUL["casino, Chinese"], ARTICLE[::-1]), extractor("best"), by)
    assert found.judgement.on_topic is kept
    assert ("葡京" not in found.extraction.body) is cut


@pytest.mark.parametrize(("wanted", "kept"), [("keep", True), ("label", True), ("drop", False)])
def test_a_harmful_page(topic: Topic, wanted: str, kept: bool) -> None:
    by = Judge(replace(topic, harmful=Harmful(wanted)))
    text = [HARMFUL[name] for name in ("casino, Chinese", "lottery", "sports betting", "chess and cards")]
    judgement = analyse(page(*text), extractor("best"), by).judgement
    assert judgement.on_topic is kept
    assert kept or judgement.reason.code is Code.HARMFUL


def test_a_wish_that_there_is_not(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('harmful = "hide"\n[keywords]\n"排序" = 1.0\n', encoding="utf-8")
    with pytest.raises(TopicError, match="use one of keep, label, drop"):
        Topic.load(file)
