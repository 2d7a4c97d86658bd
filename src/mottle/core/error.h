// mottle/core/error.h: the typed exceptions of Mottle; each knows its exit code and, where it has one, its place
#pragma once
#include "mottle/core/span.h"

#include <optional>
#include <stdexcept>
#include <string>

namespace mottle::core {

/// Base of all errors. `what()` is the whole message: "file:line:column: message", then the line and a caret where known.
class Error : public std::runtime_error {
   public:
    Error(std::string message, std::optional<Span> span, std::string source_line = {});

    /// The message alone, without place and caret.
    const std::string& message() const { return message_; }
    const std::optional<Span>& span() const { return span_; }
    /// The word for `kind` in JSON: "model", "input", "device", "output", "internal".
    virtual const char* kind() const = 0;
    /// The exit code of the command line program.
    virtual int exit_code() const = 0;

   private:
    std::string message_;
    std::optional<Span> span_;
};

/// Something inside an equation string: syntax, names, arity, nesting.
class ModelError : public Error {
   public:
    ModelError(std::string message, Span span, std::string source_line = {});
    const char* kind() const override { return "model"; }
    int exit_code() const override { return 2; }
};

/// Every other input: flags, files, keys, sizes.
class InputError : public Error {
   public:
    explicit InputError(std::string message);
    InputError(std::string message, Span span, std::string source_line = {});
    const char* kind() const override { return "input"; }
    int exit_code() const override { return 3; }
};

/// Throws: InputError.
[[noreturn]] inline void refuse(std::string message, Span span) { throw InputError(std::move(message), std::move(span)); }

/// The device or a part of the installation: none, out of memory, driver, missing module.
class DeviceError : public Error {
   public:
    explicit DeviceError(std::string message);
    const char* kind() const override { return "device"; }
    int exit_code() const override { return 4; }
};

/// Writing failed: disk full, folder gone.
class OutputError : public Error {
   public:
    explicit OutputError(std::string message);
    const char* kind() const override { return "output"; }
    int exit_code() const override { return 6; }
};

/// A bug of Mottle's own.
class InternalError : public Error {
   public:
    explicit InternalError(std::string message);
    const char* kind() const override { return "internal"; }
    int exit_code() const override { return 70; }
};

}  // namespace mottle::core
