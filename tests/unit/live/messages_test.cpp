// tests/unit/live/messages_test.cpp: messages of a page, right and wrong ones
#include "mottle/live/server/messages.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

namespace mottle::live::messages_test {
namespace {

template <class Wanted>
Wanted request(std::string_view json) {
    return std::get<Wanted>(parse_message(json).request);
}

std::string refusal(std::string_view json) {
    try {
        parse_message(json);
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "taken";
}

TEST(Messages, AreRead) {
    EXPECT_EQ(parse_message(R"({"do":"play","id":7})").id, 7);
    EXPECT_TRUE(request<Play>(R"({"do":"play"})").playing);
    EXPECT_FALSE(request<Play>(R"({"do":"pause"})").playing);
    EXPECT_EQ(request<MakeSteps>(R"({"do":"step","steps":12})").steps, 12);
    EXPECT_EQ(request<Pace>(R"({"do":"pace","pace":"most"})").kind, Pace::Kind::most);
    EXPECT_EQ(request<Pace>(R"({"do":"pace","pace":250.5})").steps_per_second, 250.5);
    EXPECT_TRUE(request<Restart>(R"({"do":"restart","seed":"new"})").new_seed);
    EXPECT_EQ(request<Restart>(R"({"do":"restart","seed":9})").seed, 9u);
    EXPECT_FALSE(request<Restart>(R"({"do":"restart"})").seed);
    EXPECT_EQ(request<SetParameter>(R"({"do":"set","parameter":"F","value":-1.5e-3})").value, -1.5e-3);
    EXPECT_TRUE(request<Undo>(R"({"do":"redo"})").forward);
    EXPECT_EQ(request<Acknowledge>(R"({"do":"ack","frame":4294967295})").frame, 4294967295u);
    EXPECT_EQ(request<Save>(R"({"do":"save","what":"png","palette":"magma","range":[0,2]})").look.range->at(1), 2);
    EXPECT_FALSE(request<SetProbe>(R"({"do":"probe","probe":3})").at);
    EXPECT_EQ((*request<SetProbe>(R"({"do":"probe","probe":3,"at":[1,2.5]})").at)[1], 2.5);
}

TEST(Messages, AViewChangesWhatItNames) {
    const auto view =
        request<ChangeView>(R"({"do":"view","field":"u","region":[0,1,2.5,3],"pixels":[640,480],"axis":"x","slice":4,"bits":8})");
    EXPECT_EQ(view.field, "u");
    EXPECT_EQ((*view.region)[2], 2.5);
    EXPECT_EQ((*view.pixels)[1], 480);
    EXPECT_EQ(view.axis, 0);
    EXPECT_EQ(view.slice, 4);
    EXPECT_EQ(view.bytes, 1);
    const auto whole = request<ChangeView>(R"({"do":"view","region":null})");
    EXPECT_TRUE(whole.whole);
    EXPECT_FALSE(whole.field || whole.region || whole.pixels || whole.axis || whole.slice || whole.bytes);
}

TEST(Messages, AStrokeHasPoints) {
    const auto stroke = request<Stroke>(
        R"({"do":"stroke","stroke":5,"field":"v","value":0.5,"mode":"add","radius":3,"soft":0.25,"points":[[1,2],[3,4,5]]})");
    EXPECT_EQ(stroke.number, 5u);
    EXPECT_TRUE(stroke.adds);
    EXPECT_EQ(stroke.points, (std::vector<Place>{{1, 2, 0}, {3, 4, 5}}));
    EXPECT_EQ(refusal(R"({"do":"stroke","stroke":5,"field":"v","value":0.5,"radius":3,"points":[]})"),
              "'points' must be a list of 1 to 4096 points");
    EXPECT_EQ(refusal(R"({"do":"stroke","stroke":5,"field":"v","value":0.5,"radius":-3,"points":[[1,2]]})"),
              "'radius' must be a number from 0 to 1e+09");
    EXPECT_EQ(refusal(R"({"do":"stroke","stroke":5,"field":"v","value":1e999,"radius":3,"points":[[1,2]]})"),
              "a message must be valid JSON, with numbers of at most 1.8e308");
    EXPECT_EQ(refusal(R"({"do":"stroke","stroke":5,"field":"v","radius":3,"points":[[1,2]]})"), "'value' is missing");
}

TEST(Messages, APictureIsBase64) {
    EXPECT_EQ(request<DropImage>(R"({"do":"image","name":"a.png","data":"TW90dGxl","field":"u"})").png, "Mottle");
    EXPECT_EQ(request<DropImage>(R"({"do":"image","name":"a.png","data":"/wD+","parameter":"F"})").png, std::string("\xff\x00\xfe", 3));
    EXPECT_EQ(request<DropImage>(R"({"do":"image","name":"a.png","data":"TW8=","field":"u"})").png, "Mo");
    EXPECT_EQ(refusal(R"({"do":"image","name":"a.png","data":"T*","field":"u"})"), "'data' is not base64");
    EXPECT_EQ(refusal(R"({"do":"image","name":"a.png","data":"TW8="})"), "a picture needs a 'field' or a 'parameter' that it becomes");
}

TEST(Messages, SettingsArePairs) {
    const auto settings = request<ChangeSettings>(R"({"do":"settings","id":1,"size":"64x64","dt":null})");
    ASSERT_EQ(settings.keys.size(), 2u);  // in the order of JSON objects
    for (const auto& [key, value] : settings.keys) EXPECT_EQ(value.has_value(), key == "size");
    EXPECT_EQ(refusal(R"({"do":"settings"})"), "no setting is named");
}

TEST(Messages, WhatIsRefusedKeepsItsName) {
    const Heading heading = heading_of(R"({"do":"step","id":5,"steps":0})");
    EXPECT_EQ(heading.verb, "step");
    EXPECT_EQ(heading.id, 5);
    for (const char* json : {"", "[]", R"({"do":3,"id":"x"})"}) {
        EXPECT_EQ(heading_of(json).verb, "");
        EXPECT_FALSE(heading_of(json).id);
    }
}

TEST(Messages, WhatIsWrongIsSaid) {
    for (const char* json : {"", "{", "{\"do\":\"play\"", "\xff\xfe", "{\"do\":\"\xff\"}"})
        EXPECT_EQ(refusal(json), "a message must be valid JSON, with numbers of at most 1.8e308") << json;
    for (const char* json : {"[]", "12", "\"do\""}) EXPECT_EQ(refusal(json), "a message must be a JSON object") << json;
    EXPECT_EQ(refusal("{}"), "'do' is missing");
    EXPECT_EQ(refusal(R"({"do":3})"), "'do' is text");
    EXPECT_EQ(refusal(R"({"do":"plya"})"), "unknown message 'plya'; did you mean 'play'?");
    EXPECT_EQ(refusal(R"({"do":"step","steps":1.5})"), "'steps' must be a whole number");
    EXPECT_EQ(refusal(R"({"do":"step","steps":0})"), "'steps' must be a number from 1 to 1e+09");
    EXPECT_EQ(refusal(R"({"do":"pace","pace":"fast"})"), "'pace' must be \"auto\", \"most\" or steps per second");
    EXPECT_EQ(refusal(R"({"do":"save","what":"exe"})"), "'what' must be png, npy, state, model, model+state, vtu, ply or glb");
    EXPECT_EQ(refusal(R"({"do":"open"})"), "'open' takes the name of a model, or its text");
    EXPECT_EQ(refusal(R"({"do":"view","axis":"w"})"), "'axis' must be \"x\", \"y\" or \"z\"");
    EXPECT_EQ(refusal(R"({"do":"view","bits":12})"), "'bits' must be 8 or 16");
    EXPECT_EQ(refusal("{\"do\":\"" + std::string(300, 'x') + "\"}"), "'do' is longer than 256 bytes");
    EXPECT_EQ(refusal(std::string(kMostMessageBytes + 1, ' ')), "a message may have at most 32 MiB");
}

TEST(Messages, WhatTakesTooMuchMemoryIsRefusedWhileItIsRead) {
    const auto nested = [](std::size_t levels) {
        std::string json = R"({"do":"play","more":)";
        for (std::size_t i = 1; i < levels; ++i) json += '[';
        for (std::size_t i = 1; i < levels; ++i) json += ']';
        return json + "}";
    };
    EXPECT_EQ(refusal(nested(16)), "taken");
    for (const std::size_t levels : {17U, 2'000'000U}) {
        EXPECT_EQ(refusal(nested(levels)), "a message may nest at most 16 levels");
        EXPECT_EQ(heading_of(nested(levels)).verb, "");
    }
    EXPECT_EQ(refusal(std::string(100000, '[')), "a message may nest at most 16 levels");
    std::string wide = R"({"do":"play","more":[0)";
    for (int i = 0; i < 70'000; ++i) wide += ",[]";
    EXPECT_EQ(refusal(wide + "]}"), "a message may have at most 65,536 names and values");
}

}  // namespace
}  // namespace mottle::live::messages_test
