// mottle/ranks/program_parcel.h: Programs, grids and surfaces as bytes: what a rank needs to compile its share
#pragma once
#include "mottle/domain/domain.h"
#include "mottle/ir/lower/expression.h"
#include "mottle/ir/program/program.h"
#include "mottle/ranks/transport.h"

namespace mottle::ranks {

class Packer;
class Unpacker;

// Of an expression no places in files travel. Of a grid the rules of its sides travel, and no expressions: those are uniforms of the Program. Of a surface what kernels look at: no faces, no rules.
void carry(Packer& parcel, ir::Program& program);
void carry(Unpacker& parcel, ir::Program& program);
void carry(Packer& parcel, ir::Expression& expression);
void carry(Unpacker& parcel, ir::Expression& expression);
void carry(Packer& parcel, domain::Grid& grid);
void carry(Unpacker& parcel, domain::Grid& grid);
void carry(Packer& parcel, domain::Mesh& mesh);
void carry(Unpacker& parcel, domain::Mesh& mesh);

}  // namespace mottle::ranks
