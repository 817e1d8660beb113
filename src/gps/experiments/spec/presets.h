// Published hyper-parameters: those of the paper (Appendix F), which stand in the rows of the
// options (Option::in_paper), and those that Mammoth's authors tuned for the same methods.
#pragma once

#include <string>

#include "gps/experiments/spec/spec.h"

namespace gps {

const Catalog& preset_catalog();

// Sets everything that the preset defines for spec.benchmark, spec.learner and spec.memory, and
// changes nothing else. Throws UsageError if the preset does not exist or has no values for the
// benchmark or the learner.
//   paper    learning rate 0.1 (ogd: 0.001, as its authors use); batches of 10 + 10 and 5 epochs,
//            s-cifar-10: 10 + 10 and 50, s-cifar-100 and tiny-imagenet: 50 + 50 and 100; the
//            weights of each method. Streams that are not in the paper are treated as P-MNIST, and
//            the user's own colour images as S-CIFAR-10. For der++, mixed and gps also replay the
//            task that is being learnt (--in-task running, section 5.4), in both presets.
//   mammoth  permuted streams: 20 tasks, batches of 128 + 128, 1 epoch; s-cifar-10, s-cifar-100 and
//            tiny-imagenet: batches of 32 + 32; 50, 50 and 100 epochs. The loss `concat`; learning
//            rate and weights of each method for the nearest of the memories 200, 500 and 5120
//            (if the memory is counted in bytes, for the default memory of the benchmark);
//            HAL's anchors and A-GEM's memory as in Mammoth.
void apply_preset(Spec& spec, const std::string& preset);

// The paper's values for a learner that is to learn a stream of which nothing is known: those for
// P-MNIST, but α of der and der++ is that of S-CIFAR-10 if the network is not an mlp. Throws
// UsageError for a learner that does not exist.
//
// Why α: a step moves the logits of a stored image by η (2α/C) ‖φ‖² times their error, where φ are
// its features. Training diverges if this factor is more than 2. The mlp has 100 features; convnet
// has 1024 for images of 28 x 28.
Method paper_method(const std::string& learner, const std::string& model);

// What `gpscl run STREAM --preset P --learner L --memory M` starts from, before any other option
// has its say: the stream, its model, and what the preset sets. Throws UsageError for names that do
// not exist.
Spec preset_spec(const std::string& preset, const BenchmarkOptions& stream,
                 const std::string& learner, int memory);

// What changes in this if `backbone` is given: the mlp learns, images in colour are learnt with the
// values for grey ones, because rows of features are like them (feature_normalisation()), and the
// learning rate is that of data/usual_settings.h.
void set_for_backbone(Spec& spec, const std::string& preset);

// The same for a benchmark, with its default number of tasks.
Spec preset_spec(const std::string& preset, const std::string& benchmark,
                 const std::string& learner, int memory);

// Returns the default |M|: that of the paper (Table 1), or that of P-MNIST for streams that are not
// in the paper.
int default_memory(const std::string& benchmark);

// Returns the default policy of the learner.
std::string preset_policy(const std::string& preset, const std::string& learner);

}  // namespace gps
