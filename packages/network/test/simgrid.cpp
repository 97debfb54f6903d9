// Prints the rates that SimGrid gives to flows, one a line. Input: LINKS FLOWS, then the capacity of each link, then
// for each flow the number of its links and the links. All flows begin at once. The rate of a flow is the amount that
// the flow sent until a measurement, divided by the time of the measurement.
#include <iostream>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static constexpr double SIZE = 1e6;

int main(int argc, char* argv[])
{
  sg4::Engine engine(&argc, argv);
  // Fluid rates: no factor for protocols, no latency, no window.
  for (const char* setting :
       {"network/model:LV08", "network/bandwidth-factor:1", "network/latency-factor:1", "network/TCP-gamma:0",
        "network/weight-S:0", "network/crosstraffic:0", "network/optim:Full", "maxmin/precision:1e-14", "surf/precision:1e-12"})
    sg4::Engine::set_config(std::string(setting));

  int links, flows;
  std::cin >> links >> flows;
  auto* zone = sg4::create_full_zone("machine");
  std::vector<sg4::Link*> wires;
  double smallest = 1e300, sum = 0;
  for (int link = 0; link < links; link++) {
    double capacity;
    std::cin >> capacity;
    smallest = std::min(smallest, capacity);
    sum += capacity;
    wires.push_back(zone->create_link("link" + std::to_string(link), capacity)->set_latency(0)->seal());
  }
  std::vector<std::pair<sg4::Host*, sg4::Host*>> ends;
  for (int flow = 0; flow < flows; flow++) {
    int count;
    std::cin >> count;
    std::vector<sg4::LinkInRoute> route;
    for (int at = 0; at < count; at++) {
      int link;
      std::cin >> link;
      route.emplace_back(wires[link]);
    }
    auto* from = zone->create_host("from" + std::to_string(flow), 1e9);
    auto* to   = zone->create_host("to" + std::to_string(flow), 1e9);
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
    ends.emplace_back(from, to);
  }
  zone->seal();

  // No flow may end before the measurement, and the slowest flow must have sent enough for a measurement.
  const double moment = SIZE / sum / 2;
  std::vector<double> rates(flows);
  sg4::Actor::create("watch", ends[0].first, [&]() {
    std::vector<sg4::CommPtr> comms;
    for (const auto& [from, to] : ends)
      comms.push_back(sg4::Comm::sendto_async(from, to, SIZE));
    sg4::this_actor::sleep_for(moment);
    for (int flow = 0; flow < flows; flow++)
      rates[flow] = (SIZE - comms[flow]->get_remaining()) / moment;
    for (auto& comm : comms)
      comm->cancel();
  });
  engine.run();
  std::cout.precision(17);
  for (double rate : rates)
    std::cout << rate << "\n";
}
