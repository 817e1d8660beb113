// What `gpscl reproduce` prints: tables of ours beside the paper's, and a verdict for each claim.
#pragma once

#include <map>

#include "gps/reproduce/item.h"

namespace gps {

// One item, on one benchmark, at one scale.
struct Answer {
  const Item* item = nullptr;
  Question question;
  Finding finding;
};

// What is to be said of an item besides what it measures: paragraphs in Markdown, by the item's
// name; "intro" comes before all items, "outro" after them.
using Notes = std::map<std::string, std::string>;

enum class Format { text, md, csv, latex, json };
// Throws UsageError for a name that is none.
Format format_from(const std::string& name);

// The answers one after another.
std::string rendered(const std::vector<Answer>& answers, Format format);

// The whole document (Markdown): the notes' intro, which claims hold, then a section for each item
// with its commands, its tables, its verdicts and its notes. Items that have no answer are named,
// and so are those whose answer has no verdict and lacks rows: others made what is there of them.
// Claims are counted by whose they are (Origin), each once, though two items may make it.
std::string document(const std::vector<Answer>& answers, const Notes& notes);

// "gpscl reproduce table1 --benchmarks s-cifar-10 --scale reduced"
std::string command_for(const Question& question, const Item& item);

// How many claims have a verdict, one way or the other.
std::size_t tried_claims(const Finding& finding);

}  // namespace gps
