/* examples/c/main.c: cells that eat and secrete on a field: sources and sinks at points in every step, by the C interface */
#include <mottle/c/mottle.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const kModel =
    "equations.food = 'D*lap(food)'\n"
    "equations.signal = 'D*lap(signal) - decay*signal'\n"
    "parameters = {D = 0.2, decay = 0.01}\n"
    "initial = {food = 1, signal = 0}\n"
    "time.dt = 1\n";

enum { kCells = 3, kSteps = 500 };

static void check(mottle_status status, const mottle_simulation* simulation) {
    if (status == MOTTLE_OK) return;
    fprintf(stderr, "%s\n", mottle_message(simulation));
    exit(status);
}

int main(void) {
    char message[1024];
    mottle_simulation* simulation = NULL;
    if (mottle_create(kModel, NULL, "size = '128x96'\nprecision = 'f64'\nboundary = 'no-flux'", &simulation, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    const int32_t food = mottle_find_field(simulation, "food"), signal = mottle_find_field(simulation, "signal");
    const int64_t places[kCells] = {30 + 128 * 20, 64 + 128 * 48, 100 + 128 * 80};
    double eaten = 0;
    for (int step = 0; step < kSteps; ++step) {
        double here[kCells], bite[kCells], secreted[kCells];
        check(mottle_get_cells(simulation, food, places, here, kCells), simulation);
        for (int i = 0; i < kCells; ++i) {
            bite[i] = -0.1 * here[i];
            secreted[i] = 0.5 * here[i];
            eaten -= bite[i];
        }
        check(mottle_add_to_cells(simulation, food, places, bite, kCells), simulation);
        check(mottle_add_to_cells(simulation, signal, places, secreted, kCells), simulation);
        check(mottle_advance(simulation, 1, 0), simulation);
    }
    double statistics[4];
    check(mottle_statistics(simulation, food, statistics), simulation);
    /* diffusion without flux loses nothing: what is gone was eaten */
    printf("eaten %.6f, gone %.6f, food left at the least %.3f\n", eaten, (1 - statistics[2]) * 128 * 96, statistics[0]);
    check(mottle_draw(simulation, "signal.png", "field = 'signal'\nscale = 4"), simulation);
    mottle_destroy(simulation);
    return 0;
}
