// tests/unit/live/session_test.cpp: pages without a network: what they send, and what comes back; who gets in
#include "mottle/live/server/server.h"

#include "mottle/core/cancellation.h"
#include "unit/live/stage.h"
#include "unit/live/theatre.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <thread>

namespace mottle::live::session_test {
namespace {

using namespace std::chrono_literals;

double step_of(const std::vector<std::uint8_t>& frame) {
    double step = -1;
    if (frame.size() >= kHeaderBytes) std::memcpy(&step, frame.data() + 24, sizeof step);
    return step;
}

TEST(Session, GreetsAndPlays) {
    Theatre theatre;
    Page page(theatre.session);
    EXPECT_NE(page.wait_for({"\"event\":\"hello\""}).find("\"lagoon\""), std::string::npos);
    const std::string model = page.wait_for({"\"event\":\"model\""});
    EXPECT_NE(model.find("\"name\":\"r\",\"value\":0.5"), std::string::npos);
    EXPECT_NE(model.find("\"size\":[12,8,1]"), std::string::npos);
    const double first = step_of(page.frame());
    double later = first;
    for (int i = 0; i < 200 && later <= first; ++i) later = step_of(page.frame());
    EXPECT_GT(later, first);
}

TEST(Session, PausesAndMakesSingleSteps) {
    Theatre theatre;
    Page page(theatre.session);
    page.send(R"({"do":"pause"})");
    page.send(R"({"do":"restart"})");
    page.wait_for({"\"event\":\"model\"", "\"generation\":1"});
    page.send(R"({"do":"step","steps":7})");
    page.wait_for({"\"event\":\"status\"", "\"step\":7,", "\"playing\":false"});
}

TEST(Session, WhatOnePageChangesAllSee) {
    Theatre theatre;
    Page one(theatre.session), other(theatre.session);
    one.send(R"({"do":"set","parameter":"r","value":0.125,"id":3})");
    EXPECT_NE(other.wait_for({"\"event\":\"parameter\""}).find("\"name\":\"r\",\"value\":0.125"), std::string::npos);
    Page late(theatre.session);
    EXPECT_NE(late.wait_for({"\"event\":\"model\""}).find("\"name\":\"r\",\"value\":0.125"), std::string::npos);
}

TEST(Session, AWrongEquationIsToldWithItsPlace) {
    Theatre theatre;
    Page page(theatre.session);
    page.send(R"({"do":"model","id":41,"text":"equations.u = 'kil*u'\ninitial.u = 1\ntime.dt = 1"})");
    const std::string error = page.wait_for({"\"event\":\"error\""});
    EXPECT_NE(error.find("\"about\":41"), std::string::npos) << error;
    EXPECT_NE(error.find("\"line\":1,\"column\":16,\"length\":3"), std::string::npos) << error;
    page.send(
        R"({"do":"model","id":42,"text":"equations.u = '0*u'\ninitial.u = 1\ntime.dt = 1\ngrid.size = '12x8'\nrun.device = 'reference'"})");
    const std::string model = page.wait_for({"\"event\":\"model\"", "\"about\":42"});
    EXPECT_EQ(model.find("\"name\":\"v\""), std::string::npos);
}

// An implicit step finds out only when it is made that nothing decays.
TEST(Session, AStepThatCannotBeMadePausesTheRun) {
    Theatre theatre(replaced(kSpread, "method.precision = 'f64'", "method.precision = 'f64'\nmethod.name = 'imex'"));
    Page page(theatre.session);
    page.send(R"({"do":"set","parameter":"D","value":-0.1})");
    page.send(R"({"do":"play"})");
    EXPECT_NE(page.wait_for({"\"event\":\"notice\"", "the run stands still"}), "");
    page.wait_for({"\"event\":\"status\"", "\"playing\":false"});
    page.send(R"({"do":"set","parameter":"D","value":0.1})");
    page.send(R"({"do":"play"})");
    const double first = step_of(page.frame());
    double later = first;
    for (int i = 0; i < 20 && later <= first; ++i) later = step_of(page.frame());
    EXPECT_GT(later, first);
}

TEST(Session, APaintedCellIsSeen) {
    Theatre theatre;
    Page page(theatre.session);
    page.send(R"({"do":"pause"})");
    page.send(R"({"do":"view","field":"v"})");
    page.send(R"({"do":"stroke","stroke":1,"field":"v","value":77,"radius":1,"points":[[2.5,3.5]]})");
    for (int i = 0; i < 100; ++i) {
        const std::vector<std::uint8_t> frame = page.frame();
        float hi = 0;
        std::memcpy(&hi, frame.data() + 60, sizeof hi);
        if (hi != 77) continue;
        std::uint16_t level = 0;
        std::memcpy(&level, frame.data() + kHeaderBytes + 2 * (3 * 12 + 2), sizeof level);
        EXPECT_EQ(level, 65535);
        return;
    }
    FAIL() << "no frame shows the stroke";
}

TEST(Session, ProbesComeWithFrames) {
    Theatre theatre;
    Page page(theatre.session);
    page.send(R"({"do":"pause"})");
    page.send(R"({"do":"restart"})");
    page.send(R"({"do":"probe","probe":5,"at":[3.2,1.9]})");
    // v = 1 + Y, Y = 1.5/8
    EXPECT_NE(page.wait_for({"\"event\":\"samples\"", "\"probe\":5"}).find("\"v\":1.1875"), std::string::npos);
}

TEST(Session, AMapIsMade) {
    Theatre theatre;
    Page page(theatre.session);
    page.send(
        R"({"do":"map","x":{"parameter":"r","from":0,"to":1,"count":3},"y":{"parameter":"D","from":0.05,"to":0.1,"count":2},"cells":8,"steps":20})");
    const std::string map = page.wait_for({"\"event\":\"map\"", "\"state\":\"done\""});
    EXPECT_NE(map.find("\"columns\":3,\"rows\":2,\"tile\":[8,8]"), std::string::npos) << map;
    EXPECT_NE(map.find("\"x\":[0.0,0.5,1.0],\"y\":[0.05,0.1],\"x_name\":\"r\",\"y_name\":\"D\""), std::string::npos) << map;
    const std::size_t url = map.find("/file/");
    EXPECT_TRUE(theatre.stage.files.find(map.substr(url, map.find('"', url) - url)));
    page.send(R"({"do":"map","x":{"parameter":"nothing","from":0,"to":1,"count":3}})");
    page.wait_for({"\"event\":\"error\"", "\"do\":\"map\""});
}

TEST(Session, WhoComesDuringAMapIsGreetedAndCanEndIt) {
    Theatre theatre;
    Page page(theatre.session);
    page.send(R"({"do":"map","x":{"parameter":"r","from":0.1,"to":0.9,"count":3},"cells":16,"steps":9000000000000000})");
    page.wait_for({"\"event\":\"map\"", "running"});
    Page late(theatre.session);
    late.wait_for({"\"event\":\"hello\""});
    late.send(R"({"do":"map_stop"})");
    late.wait_for({"\"event\":\"map\"", "stopped"});
}

TEST(Session, AMapThatIsStoppedBeforeItsTurnEnds) {
    Theatre theatre;
    Page page(theatre.session);
    for (int i = 0; i < 2; ++i)
        page.send(R"({"do":"map","x":{"parameter":"r","from":0.1,"to":0.9,"count":3},"cells":16,"steps":9000000000000000})");
    page.send(R"({"do":"map_stop"})");
    page.wait_for({"stopped"});
    page.send(R"({"do":"step","steps":3,"id":4})");
    page.send(R"({"do":"set","parameter":"r","value":0.25})");
    page.wait_for({"\"event\":\"parameter\"", "0.25"});
}

TEST(Session, FramesGoOnWhileManyStrokesAreMade) {
    Theatre theatre(kSpread, "size = '512x512'");
    Page page(theatre.session);
    page.frame();
    const int strokes = std::getenv("MOTTLE_TINY") ? 100 : 2000;  // a sanitizer takes a hundred times as long
    for (int i = 0; i < strokes; ++i)
        page.send(R"({"do":"stroke","stroke":)" + std::to_string(i) + R"(,"field":"v","value":2,"radius":4,"points":[[2.5,3.5]]})");
    page.send(R"({"do":"set","parameter":"r","value":0.25})");
    int frames = 0;
    for (bool done = false; !done && !::testing::Test::HasFailure();) {
        const Parcel parcel = page.next();
        frames += parcel.binary ? 1 : 0;
        done = parcel.text.find("\"event\":\"parameter\"") != std::string::npos;
    }
    EXPECT_GT(frames, 3);
}

TEST(Session, OtherCellsOfTheSameNumberAreSeenWhole) {
    Theatre theatre(kSpread, "size = '4x3x5'");
    Page page(theatre.session);
    page.send(R"({"do":"view","axis":"x","slice":3})");
    page.frame();
    page.send(R"({"do":"settings","size":"4x15","id":2})");
    page.wait_for({"\"event\":\"model\"", "\"about\":2"});
    std::vector<std::uint8_t> frame;
    do frame = page.frame();
    while (frame.size() >= kHeaderBytes && frame[12] == 0);
    EXPECT_EQ(frame[32], 4);
    EXPECT_EQ(frame[36], 15);
}

TEST(Session, TheMistakeOfAnOpenedTextHasItsPlace) {
    Theatre theatre;
    Page page(theatre.session);
    page.send(R"({"do":"open","text":"equations.u = 'lap(q)'\ninitial.u = 0\n","id":3})");
    const std::string event = page.wait_for({"\"event\":\"error\"", "\"about\":3"});
    EXPECT_NE(event.find("\"line\":1"), std::string::npos) << event;
}

TEST(Session, AMapThatWouldFillTheMemoryIsRefused) {
    Theatre theatre;
    Page page(theatre.session);
    page.send(R"({"do":"map","x":{"parameter":"r","from":0.1,"to":0.9,"count":64},"y":{"parameter":"D","from":0.1,"to":0.2,"count":64},)"
              R"("cells":512,"steps":9,"id":7})");
    const std::string event = page.wait_for({"\"event\":\"error\"", "\"about\":7"});
    EXPECT_NE(event.find("1,073,741,824 cells"), std::string::npos) << event;
}

TEST(Session, FilesAreOffered) {
    Theatre theatre;
    Page page(theatre.session);
    page.send(R"({"do":"save","id":6,"what":"model"})");
    const std::string event = page.wait_for({"\"event\":\"file\"", "\"about\":6", "test.toml"});
    EXPECT_NE(event.find("\"url\":\"/file/"), std::string::npos);
}

TEST(Session, NonsenseEndsAConnectionAndNotTheRun) {
    Theatre theatre;
    Page page(theatre.session);
    {
        Page fool(theatre.session);
        int taken = 0;
        while (taken < 1000 && fool.send("nonsense")) ++taken;
        EXPECT_EQ(taken, 99);
    }
    {
        Page flood(theatre.session);
        page.send(R"({"do":"pause"})");
        for (int i = 0; i < 3000; ++i)
            flood.send(R"({"do":"stroke","stroke":)" + std::to_string(i) +
                       R"(,"field":"v","value":2,"radius":4,"points":[[2.5,3.5],[100,100]]})");
    }
    page.send(R"({"do":"restart"})");
    page.send(R"({"do":"step","steps":3})");
    page.wait_for({"\"event\":\"status\"", "\"step\":3,"});
}

std::string text_with(const std::string& value) {
    std::string text = kSpread;
    text.replace(text.find("parameters.r = 0.5"), 18, "parameters.r = " + value);
    std::string escaped;
    for (const char c : text) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
    return escaped;
}

TEST(Session, OfTextsThatWaitTheNewestAloneRuns) {
    Stage stage;
    core::Cancellation end;
    Session session(stage.project(), stage.context, stage.files);
    Page page(session);
    page.send(R"({"do":"model","id":1,"text":"nonsense = "})");
    page.send(R"({"do":"ack","frame":1})");
    page.send(R"({"do":"model","id":2,"restart":true,"text":")" + text_with("0.25") + "\"}");
    page.send(R"({"do":"model","id":3,"text":")" + text_with("0.125") + "\"}");
    page.send(R"({"do":"set","parameter":"r","value":0.75})");
    page.send(R"({"do":"model","id":4,"text":")" + text_with("0.0625") + "\"}");
    std::thread engine([&] {
        const core::CancellationScope scope(&end);
        session.run();
    });
    // All are answered, the first two by the text that replaced them; what stands between two texts sees the first.
    for (const char* id : {"1", "2", "3"}) {
        const std::string model = page.wait_for({"\"event\":\"model\"", std::string("\"about\":") + id + ","});
        EXPECT_NE(model.find("\"value\":0.125"), std::string::npos) << model;
        EXPECT_NE(model.find("\"generation\":1"), std::string::npos) << "the second wanted a start anew";
    }
    page.wait_for({"\"event\":\"parameter\"", "\"value\":0.75"});
    EXPECT_NE(page.wait_for({"\"event\":\"model\"", "\"about\":4,"}).find("\"value\":0.0625"), std::string::npos);
    end.ask();
    engine.join();
}

TEST(Session, PagesPaintAtTheSameTimeEachAStrokeOfItsOwn) {
    Theatre theatre;
    Page one(theatre.session), other(theatre.session);
    one.send(R"({"do":"pause"})");
    for (int i = 0; i < 4; ++i) {
        for (Page* page : {&one, &other})
            page->send(R"({"do":"stroke","stroke":1,"field":"v","value":2,"mode":"add","radius":0.6,"points":[[2.5,3.5]]})");
    }
    one.send(R"({"do":"probe","probe":5,"at":[2.5,3.5]})");
    one.wait_for({"\"event\":\"status\"", "\"undo\":2,"});
    one.send(R"({"do":"undo"})");
    one.wait_for({"\"event\":\"status\"", "\"undo\":1,"});
}

TEST(Session, PicturesThatNothingNamesAnyMoreAreRemoved) {
    Theatre theatre;
    Page page(theatre.session);
    const auto pictures = [&] {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(theatre.stage.files.folder()))
            count += entry.is_regular_file() ? 1 : 0;
        return count;
    };
    // 2 x 1 pixels, black and white, 8 bits of grey.
    const std::string png = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAAC0lEQVR4nGNg+A8AAQIBAEK+vGgAAAAASUVORK5CYII=";
    for (const char* id : {"1", "2"}) {  // the second replaces the first
        page.send(R"({"do":"image","id":)" + std::string(id) + R"(,"name":"a.png","field":"u","data":")" + png + "\"}");
        page.wait_for({"\"event\":\"model\"", std::string("\"about\":") + id});
        EXPECT_EQ(pictures(), 1);
    }
    page.send(R"({"do":"image","id":8,"name":"a.png","field":"u","data":"iVBORw0KGgoAAAAN"})");
    EXPECT_EQ(page.wait_for({"\"event\":\"error\"", "\"about\":8", "a.png"}).find(theatre.stage.files.folder()), std::string::npos);
    page.send(R"({"do":"image","id":3,"name":"a.png","parameter":"r","data":")" + png + "\"}");
    page.wait_for({"\"event\":\"model\"", "\"about\":3"});
    EXPECT_EQ(pictures(), 2);
    page.send(R"({"do":"save","id":4,"what":"model"})");
    page.wait_for({"\"event\":\"file\"", "\"about\":4", "a-2.png"});
    page.send(R"({"do":"set","parameter":"r","value":0.25,"id":5})");
    page.wait_for({"\"event\":\"model\"", "\"about\":5"});
    EXPECT_EQ(pictures(), 1);
    page.send(R"({"do":"open","model":"heat","id":6})");
    page.wait_for({"\"event\":\"model\"", "\"about\":6"});
    EXPECT_EQ(pictures(), 0);
}

TEST(Session, ARecordingEndsWhenNoPageIsLeftAndTheNextOneGetsIt) {
    Theatre theatre;
    {
        Page page(theatre.session);
        page.send(R"({"do":"record","on":true,"id":1})");
        page.send(R"({"do":"set","parameter":"r","value":0.25})");
        while (true) {
            const Parcel parcel = page.next();
            if (parcel.text.find("\"event\":\"error\"") != std::string::npos) GTEST_SKIP() << parcel.text;
            if (parcel.text.find("\"event\":\"parameter\"") != std::string::npos || HasFailure()) break;
        }
        page.wait_for({"\"event\":\"status\"", "\"recording\":true"});
    }
    {
        Page again(theatre.session);  // the page was loaded again: the recording goes on
        again.wait_for({"\"event\":\"status\"", "\"recording\":true"});
    }
    std::this_thread::sleep_for(6s);
    Page late(theatre.session);
    late.wait_for({"\"event\":\"notice\"", "no page was open"});
    late.wait_for({"\"event\":\"file\"", ".mp4"});
    late.wait_for({"\"event\":\"status\"", "\"recording\":false"});
    Page later(theatre.session);
    const std::string next = later.wait_for({"\"event\":\"status\""});
    EXPECT_NE(next.find("\"recording\":false"), std::string::npos);
}

TEST(Session, AMapThatIsStoppedWhileItIsPreparedEnds) {
    Stage stage;
    Player player(stage.project(), stage.context);
    const MakeMap map{.axes = {{.parameter = "r", .from = 0.1, .to = 0.9, .count = 4}}, .cells = 16, .steps = 5, .field = "u"};
    const auto go_on = [](double) { return true; };
    core::Cancellation whole;
    core::Cancellation part(&whole);
    const core::CancellationScope scope(&part);
    EXPECT_TRUE(make_map(player, map, stage.files, stage.context, go_on));
    whole.ask();
    EXPECT_TRUE(part.is_asked());
    EXPECT_THROW(make_map(player, map, stage.files, stage.context, go_on), core::Interrupted);
}

TEST(Session, ADivergenceIsToldAndOneCanGoBack) {
    Theatre theatre(
        "equations.u = 'u^2'\ninitial.u = 1\ntime.dt = 0.5\ntime.steps = 100000\ngrid.size = '8x8'\nrun.device = 'reference'\n");
    Page page(theatre.session);
    page.send(R"({"do":"pace","pace":"most"})");
    EXPECT_NE(page.wait_for({"\"event\":\"diverged\""}).find("\"can_go_back\":true"), std::string::npos);
    Page late(theatre.session);  // is told all of it, too
    late.wait_for({"\"event\":\"diverged\""});
    late.wait_for({"\"event\":\"status\"", "\"playing\":false"});
    page.send(R"({"do":"pause"})");
    page.send(R"({"do":"go_back"})");
    EXPECT_NE(page.wait_for({"\"event\":\"model\"", "\"dt\":0.25"}).find("\"steps\""), std::string::npos);
}

TEST(Viewer, NeverHasMoreThanTwoFramesUnderWay) {
    Viewer viewer;
    EXPECT_FALSE(viewer.wants_frame());  // it has not been greeted
    viewer.has_view = true;
    const auto bytes = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>(kHeaderBytes + 4, 0));
    for (std::uint32_t number = 1; number <= 2; ++number) {
        ASSERT_TRUE(viewer.wants_frame());
        viewer.offer(bytes, number);
        EXPECT_FALSE(viewer.wants_frame());
        EXPECT_TRUE(viewer.next());
    }
    EXPECT_FALSE(viewer.wants_frame());
    viewer.acknowledge(7);  // never sent
    EXPECT_FALSE(viewer.wants_frame());
    viewer.acknowledge(2);  // and with it what came before
    EXPECT_TRUE(viewer.wants_frame());
    viewer.visible = false;
    EXPECT_FALSE(viewer.wants_frame());
}

TEST(Viewer, KeepsTheLastOfWhatReplacesItself) {
    Viewer viewer;
    viewer.say("a");
    viewer.say_last("status", "old");
    viewer.say("b");
    viewer.say_last("status", "new");
    EXPECT_EQ(viewer.next()->text, "a");
    EXPECT_EQ(viewer.next()->text, "new");
    EXPECT_EQ(viewer.next()->text, "b");
    for (std::size_t i = 0; i <= Viewer::kMostTexts; ++i) viewer.say("c");
    EXPECT_TRUE(viewer.is_closed());
    EXPECT_FALSE(viewer.next());
}

TEST(Viewer, LetsGoOfAPageThatDoesNotTakeItsTexts) {
    Viewer viewer;
    for (int i = 0; i < 100 && !viewer.is_closed(); ++i) viewer.say(std::string(std::size_t{1} << 20, 'x'));
    EXPECT_TRUE(viewer.is_closed());
    EXPECT_FALSE(viewer.next());
}

TEST(Frames, MemoryIsUsedAgainWhenNoPageHoldsItAnyMore) {
    Stage stage;
    Player player(stage.project(), stage.context);
    const View view = whole_view(player.spec().domain, 1);
    auto maker = std::make_unique<FrameMaker>(stage.team);
    Bytes held = maker->make(player.field(), view, {.frame = 1, .generation = 0, .moment = {}});
    const std::vector<std::uint8_t> first = *held;
    const Bytes other = maker->make(player.field(), view, {.frame = 2, .generation = 0, .moment = {}});
    EXPECT_NE(held->data(), other->data());
    EXPECT_EQ(*held, first);
    const std::uint8_t* place = held->data();
    held.reset();
    held = maker->make(player.field(), view, {.frame = 1, .generation = 0, .moment = {}});
    EXPECT_EQ(held->data(), place);
    EXPECT_EQ(*held, first);
    // Of another size, and after the maker.
    View part = view;
    part.region = {0, 0, 3, 2};
    part.bytes = 1;
    held.reset();
    held = maker->make(player.field(), part, {.frame = 3, .generation = 0, .moment = {}});
    EXPECT_EQ(held->size(), kHeaderBytes + 6);
    EXPECT_EQ((*held)[72], 6);
    maker.reset();
    EXPECT_EQ(other->size(), first.size());
}

TEST(Server, LetsInWhoHasTheTokenAndComesFromHere) {
    const std::string token = make_token();
    EXPECT_EQ(token.size(), 32u);
    EXPECT_NE(token, make_token());
    const std::string query = "token=" + token;
    const auto allowed = [&](std::string_view host, std::string_view origin, std::string_view words,
                             std::string_view listening = "127.0.0.1") {
        return is_allowed({host, origin, words}, token, listening);
    };
    EXPECT_TRUE(allowed("127.0.0.1:8080", "", query));
    EXPECT_TRUE(allowed("localhost:9000", "http://localhost:9000", query));  // a tunnel
    EXPECT_TRUE(allowed("[::1]:9000", "", "a=b&" + query));
    EXPECT_TRUE(allowed("127.0.0.1", "", query));
    EXPECT_FALSE(allowed("127.0.0.1:8080", "", ""));
    EXPECT_FALSE(allowed("127.0.0.1:8080", "", "token="));
    EXPECT_FALSE(allowed("127.0.0.1:8080", "", query + "0"));
    EXPECT_FALSE(allowed("127.0.0.1:8080", "", "token=" + std::string(32, '0')));
    EXPECT_FALSE(allowed("127.0.0.1:8080", "http://evil.example", query));
    EXPECT_FALSE(allowed("127.0.0.1:8080", "http://127.0.0.1:8081", query));
    EXPECT_FALSE(allowed("127.0.0.1:8080", "null", query));
    EXPECT_FALSE(allowed("evil.example", "", query));
    EXPECT_FALSE(allowed("127.0.0.1.evil.example:8080", "", query));
    EXPECT_FALSE(allowed("", "", query));
    EXPECT_FALSE(allowed("192.168.1.5:8080", "", query));
    EXPECT_TRUE(allowed("192.168.1.5:8080", "http://192.168.1.5:8080", query, "192.168.1.5"));
    EXPECT_TRUE(allowed("192.168.1.5:8080", "", query, "0.0.0.0"));
    EXPECT_FALSE(allowed("evil.example:8080", "", query, "0.0.0.0"));
}

}  // namespace
}  // namespace mottle::live::session_test
