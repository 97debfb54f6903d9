// WFP3 as a program: the job with the greatest (wait / estimate)^3 * nodes first, as the built-in order `wfp`.
// Compile with: g++ -O2 -std=c++17 -o wfp wfp.cpp
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

/** A JSON value. Numbers keep their text. */
struct Json {
  std::string text;
  std::vector<Json> list;
  std::map<std::string, Json> fields;

  double number(const std::string& name, double otherwise) const {
    auto at = fields.find(name);
    return at == fields.end() ? otherwise : strtod(at->second.text.c_str(), nullptr);
  }
  std::vector<Json> listOf(const std::string& name) const {
    auto at = fields.find(name);
    return at == fields.end() ? std::vector<Json>() : at->second.list;
  }
};

/** Reads a text with its escapes: this order reads no text that can have an escape. Cloister writes no white space. */
std::string readText(const char*& at) {
  std::string text;
  for (at++; *at != '"'; text += *at++)
    if (*at == '\\') text += *at++;
  at++;
  return text;
}

Json readValue(const char*& at) {
  Json json;
  if (*at == '{') {
    for (at++; *at != '}'; at += *at == ',') {
      std::string name = readText(at);
      json.fields[name] = readValue(++at);
    }
    at++;
  } else if (*at == '[') {
    for (at++; *at != ']'; at += *at == ',') json.list.push_back(readValue(at));
    at++;
  } else if (*at == '"') {
    json.text = readText(at);
  } else {
    while (*at != '\0' && *at != ',' && *at != ']' && *at != '}') json.text += *at++;
  }
  return json;
}

struct Job {
  double size, estimate, submitted;
};

/** Waiting jobs in submit order, as the messages tell them. Times are milliseconds. */
struct Queue {
  std::vector<Job> waiting;

  void fold(const Json& message) {
    for (const Json& row : message.listOf("left")) waiting.erase(waiting.begin() + std::stol(row.text));
    for (const Json& job : message.listOf("joined")) {
      auto at = waiting.begin() + long(job.number("at", double(waiting.size())));
      waiting.insert(at, {job.number("size", 0), job.number("estimate", INFINITY), job.number("submitted", 0)});
    }
  }

  std::string scores(double now) const {
    std::string list;
    for (const auto& [size, estimate, submitted] : waiting) {
      const double slowdown = (now - submitted) / std::max(estimate, 1000.0);
      char score[32];
      snprintf(score, sizeof score, "%.17g", -(slowdown * slowdown * slowdown * size));
      list += (list.empty() ? "" : ",") + std::string(score);
    }
    return list;
  }
};

int main() {
  std::ios::sync_with_stdio(false);
  std::map<std::string, Queue> orders;
  for (std::string line; std::getline(std::cin, line);) {
    const char* at = line.c_str();
    Json message = readValue(at);
    const std::string type = message.fields["type"].text, order = message.fields["order"].text;
    std::string answer;
    if (type == "hello" && message.fields["asks"].text == "order") {
      answer = R"("contract":1,"name":"wfp-in-cpp","version":"1.0.0")";
    } else if (type == "config") {
      const Json& config = message.fields["config"];
      answer = config.text.empty() && config.fields.empty() && config.list.empty()
                   ? R"("config":{})"
                   : R"("issues":[{"message":"wfp-in-cpp has no options"}])";
    } else if (type == "make") {
      orders.erase(message.fields["forget"].text);
      orders[order] = Queue();
      answer = R"("claims":{"fixed":false})";
    } else if (type == "score") {
      orders[order].fold(message);
      answer = "\"scores\":[" + orders[order].scores(message.number("now", 0)) + "]";
    } else {
      answer = R"("error":"this program is a queue order")";
    }
    std::cout << "{\"id\":" << message.fields["id"].text << "," << answer << "}" << std::endl;
  }
}
