// First fit as a program: a job gets the free nodes with the lowest ids and shares every link.
// Compile with: g++ -O2 -std=c++17 -o first-fit first_fit.cpp
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

  const Json* get(const std::string& name) const {
    auto at = fields.find(name);
    return at == fields.end() ? nullptr : &at->second;
  }
  std::string textOf(const std::string& name) const {
    const Json* value = get(name);
    return value == nullptr ? "" : value->text;
  }
};

/** Reads the JSON of one message. Cloister writes no white space between values. */
class Reader {
 public:
  explicit Reader(const std::string& line) : line_(line) {}

  Json value() {
    Json json;
    switch (line_[at_]) {
      case '{':
        for (at_++; line_[at_] != '}'; at_ += line_[at_] == ',') {
          std::string name = text();
          at_++;
          json.fields[name] = value();
        }
        at_++;
        break;
      case '[':
        for (at_++; line_[at_] != ']'; at_ += line_[at_] == ',') json.list.push_back(value());
        at_++;
        break;
      case '"':
        json.text = text();
        break;
      default:
        while (at_ < line_.size() && std::string(",]}").find(line_[at_]) == std::string::npos) json.text += line_[at_++];
    }
    return json;
  }

 private:
  /** Keeps escapes of a text as they are: no escape occurs in the texts that this policy reads, except ids of jobs. */
  std::string text() {
    std::string found;
    for (at_++; line_[at_] != '"'; at_++) {
      if (line_[at_] == '\\') found += line_[at_++];
      found += line_[at_];
    }
    at_++;
    return found;
  }
  const std::string& line_;
  size_t at_ = 0;
};

using Ids = std::vector<int>;

/** Returns the ids of an idset, such as `0-17,36`. */
Ids idsOf(const Json* idset) {
  Ids ids;
  if (idset == nullptr) return ids;
  const char* at = idset->text.c_str();
  while (*at != '\0') {
    char* next;
    int first = strtol(at, &next, 10), last = first;
    if (*next == '-') last = strtol(next + 1, &next, 10);
    for (int id = first; id <= last; id++) ids.push_back(id);
    at = *next == ',' ? next + 1 : next;
  }
  return ids;
}

/** Nodes of the machine and running jobs, as the messages tell them. */
struct State {
  int nodes = 0;
  std::map<std::string, Ids> jobs;
  std::vector<char> held, blocked;

  explicit State(int count = 0) : nodes(count), held(count), blocked(count) {}

  void fold(const Json& changes) {
    if (const Json* ended = changes.get("ended"))
      for (const Json& job : ended->list) end(job.text);
    if (const Json* released = changes.get("released"))
      for (const Json& job : released->list) end(job.text);
    if (const Json* started = changes.get("started"))
      for (const Json& job : started->list) mark(held, jobs[job.textOf("job")] = idsOf(job.get("nodes")), 1);
    if (const Json* parts = changes.get("unblocked")) mark(blocked, idsOf(parts->get("nodes")), 0);
    if (const Json* parts = changes.get("blocked")) mark(blocked, idsOf(parts->get("nodes")), 1);
  }

  std::string place(int wanted) const {
    if (wanted > nodes) return R"("ok":false,"code":"never","constraint":"machine size")";
    int free = 0, taken = 0;
    for (int node = 0; node < nodes; node++) free += !held[node] && !blocked[node];
    if (wanted > free) return R"("ok":false,"code":"too-few-nodes","free":)" + std::to_string(free);
    std::string ids;
    for (int node = 0; taken < wanted; node++)
      if (!held[node] && !blocked[node]) ids += (taken++ == 0 ? "" : ",") + std::to_string(node);
    return R"("ok":true,"nodes":[)" + ids + R"(],"links":[])";
  }

 private:
  void end(const std::string& job) {
    mark(held, jobs[job], 0);
    jobs.erase(job);
  }
  static void mark(std::vector<char>& which, const Ids& ids, char value) {
    for (int id : ids) which[id] = value;
  }
};

int main() {
  std::ios::sync_with_stdio(false);
  std::map<std::string, State> placers;
  for (std::string line; std::getline(std::cin, line);) {
    const Json message = Reader(line).value();
    const std::string type = message.textOf("type"), placer = message.textOf("placer");
    std::string answer;
    if (type == "hello") {
      answer = R"("contract":1,"name":"first-fit","version":"1.0.0")";
    } else if (type == "config") {
      const Json* config = message.get("config");
      answer = config->text.empty() && config->fields.empty() && config->list.empty()
                   ? R"("config":{})"
                   : R"("issues":[{"message":"first-fit has no options"}])";
    } else if (type == "make") {
      placers.erase(message.textOf("forget"));
      placers[placer] = State(std::stoi(message.get("topology")->textOf("nodes")));
      answer = R"("claims":{"links":"shared","fullBandwidth":false,"exactSize":true,"monotone":true,)"
               R"("complete":true,"anyFreeNodes":true,"speedupScenarios":false})";
    } else {
      State& known = placers[placer];
      if (const Json* changes = message.get("changes")) known.fold(*changes);
      const int wanted = std::stoi(message.get("request")->textOf("nodes"));
      const Json* whatIf = message.get("whatIf");
      if (whatIf == nullptr) {
        answer = known.place(wanted);
      } else {
        State imagined = known;
        imagined.fold(*whatIf);
        answer = imagined.place(wanted);
      }
    }
    std::cout << "{\"id\":" << message.textOf("id") << "," << answer << "}" << std::endl;
  }
}
