// The output of `gpscl reproduce`: tables of our numbers beside the paper's, and a verdict for each
// claim.
#pragma once

#include <map>

#include "gps/reproduce/item.h"

namespace gps {

// The answer to one item, on one benchmark, at one scale.
struct Answer {
  const Item* item = nullptr;
  Question question;
  Finding finding;
};

// Additional text about items: paragraphs in Markdown, by the item's name. "intro" comes before all
// items, "outro" after them.
using Notes = std::map<std::string, std::string>;

enum class Format { text, md, csv, latex, json };
// Throws UsageError for an unknown name.
Format format_from(const std::string& name);

// Returns the answers one after another.
std::string rendered(const std::vector<Answer>& answers, Format format);

// Returns the whole document (Markdown): the intro of the notes, which claims hold, and a section
// for each item with its commands, tables, verdicts and notes. Items without an answer are named at
// the end. So are items whose answers have no verdict and lack rows: their other rows come from
// runs of other items. Claims are counted by their origin. A claim that two items make counts once.
std::string document(const std::vector<Answer>& answers, const Notes& notes);

// Returns for example "gpscl reproduce table1 --benchmarks s-cifar-10 --scale reduced".
std::string command_for(const Question& question, const Item& item);

// Returns how many claims have a verdict, reproduced or not reproduced.
std::size_t tried_claims(const Finding& finding);

}  // namespace gps
