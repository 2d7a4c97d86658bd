// examples/cpp/main.cpp: an equation of one's own: a front that spreads over a grid, run, measured and drawn
#include <mottle/mottle.h>

#include <iostream>

int main() {
    using namespace mottle;
    const core::Node text = core::parse_document(R"toml(
        equations.u = "D*lap(u) + r*u*(1 - u)"
        parameters  = { D = 1.0, r = 0.5 }
        initial.u   = "disk(0.5, 0.5, 6)"
        grid.size   = "256x256"
        time        = { end = 50.0, dt = 0.1 }
        output      = [{ file = "front.png", range = "0:1" }])toml", "front.toml");
    core::ThreadTeam team(core::available_cores());
    core::Observer observer;
    core::Context context{team, observer, {}};
    run::Simulation simulation(run::read_spec(text, "front", "", {}), context);
    simulation.run_to_end();
    const auto u = simulation.field().statistics(simulation.field().find("u"));
    std::cout << "after " << simulation.now().step << " steps the front covers " << 100 * u.mean << " % of the grid\n";
}
