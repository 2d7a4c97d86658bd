// mottle/mottle.h: the whole library in one include
#pragma once
#include "mottle/core/error.h"
#include "mottle/domain/domain.h"
#include "mottle/model/library.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "mottle/sweep/sweep.h"
