// The help of `gpscl run`: what fits a screen, and the rest.
#include "run_options.h"

namespace gps::cli {

const char* const kRunHelp =
    R"(gpscl run: learn a stream of tasks, one after another; see what is left

Usage: gpscl run BENCHMARK|PATH [OPTIONS]   gpscl list explains every name below; PATH: a
                 folder of images of your own, or a manifest of them (--help-all)

  --learner L,.. er | der | der++ | hal | agem | gss | icarl | oewc | ogd | sgd |
                 joint, or several for the same seeds (er)
  --policy P,..  reservoir | ring-full | hybrid | mixed | cur-res | cur-ring-full |
                 gradient | herding | one-batch | gps, or several for the same seeds;
                 also mixed:RATIO gps:FUTURE gps:cur ring-full:floor gradient:greedy
                 (reservoir; agem: ring-full, gss: gradient, icarl: herding; learners
                 without a memory take none, and beside others ignore it)
  --model M      mlp | convnet | resnet18 | FILE.pt of your own (mlp; in colour: resnet18)
  --future F     gps: permutation | rotation | blurring | offline (permutation)
  --memory N     examples that the memory holds (the paper's: 1000; s-cifar-10: 200,
                 s-cifar-100 and tiny-imagenet: 2000)
  --tasks T      tasks (10; s-mnist, s-fashion-mnist, s-cifar-10: 5)
  --epochs E     passes over a task (5; s-cifar-10: 50, s-cifar-100, tiny-imagenet: 100)
  --batch B      examples a step (10; s-cifar-100, tiny-imagenet: 50)
  --lr X         learning rate (0.1; ogd: 0.001)
  --examples-per-task N  fewer (all)        --imbalance R  rarer classes (1)
  --seeds N      run seeds 0 to N-1 (1)     --seed S     run this seed only
  --jobs J       runs or simulations at a time (all cores); under mpirun, of each rank
  --data DIR     where the data sets lie (see gpscl list benchmarks)
  --out DIR      one JSON file a run goes here (results)
  --store FILE   where runs are recorded, for gpscl runs (DIR/runs.sqlite)
  --resume       go on: skip runs that are finished, continue those that were interrupted
  --export WHAT  model, memory or both: files for PyTorch beside it (none)
  --preset P     paper | mammoth: whose hyper-parameters, where no option says
                 otherwise (paper)
  --json         print the results as JSON, and nothing else, to standard output
  --picture      show where the memory of the first seed's runs went
  --help-all     every option, such as those of the simulation

Example: the paper's P-MNIST, three policies, five seeds
  gpscl run p-mnist --policy reservoir,ring-full,gps --seeds 5
)";

const char* const kRunHelpAll = R"(
The loss (learners er, gss and hal)
  --lambda X            weight of the memory's loss (1)
  --memory-batch N      rows replayed a step, by every learner that replays (= --batch)
  --er-loss sum|concat  current + lambda * memory (Eqn. 2), or the mean over all rows (sum)

Other learners
  --alpha X             der, der++: weight of the logits' squared error (p-mnist: 0.5; der++: 1)
  --beta X              der++: weight of the memory's cross entropy (0.5)
  --der-logits step|task-end   when the logits are taken that der and der++ replay: when an example
                        is stored, or at the end of its task (step)
  --repeats N           gss: steps a batch (1)
  --directions N        ogd: gradients kept a task (100)
  --hal-lambda X        hal: weight of the anchors (0.1)
  --hal-beta X          hal: decay of the mean features that anchors are pulled to (0.5)
  --hal-gamma X         hal: weight of that pull (0.1)
  --anchor-steps N      hal: steps that make an anchor (100)
  --hal-variant mean|mammoth   hal: anchors start as mean images, or as noise (mean)
  --ewc-lambda X        oewc: weight of the pull to old weights (0.7)
  --ewc-gamma X         oewc: decay of what was important to earlier tasks (1)
  --fisher empirical|exact|mammoth   oewc: gradients for the labels, for all classes by their
                        probability, or for the labels by theirs (empirical)
  --weight-decay X      icarl: weight of the sum of squared weights (0; s-cifar-100 and
                        tiny-imagenet: 0.00001)

The stream
  --class-order natural|random|L,L,...   where tasks divide the classes: which come first; a list
                        has every label once (natural)

The data
  --no-augment          train on images in colour as they are, without random crops and flips

Images of your own (PATH: a folder of class/image or task/class/image, with train/ and test/ or
without; a manifest, FILE.csv with the columns path, label, task and split; or a folder of IDX files
named as MNIST's. JPEG and PNG. Tasks and classes come in natural order: week2 before week10)
  --classes-per-task N  where there are no tasks: how many classes each brings (or --tasks)
  --image-size N|HxW    stretch them to this size: means of areas where they shrink, bilinear where
                        they grow (as they are, if all have one size)
  --colour auto|grey|rgb  auto: in colour if any of them is; then resnet18 and the values of
                        s-cifar-10 are what options are without being given, else those of s-mnist
  --test-fraction X     where nothing says which are for testing: of each class, by seed (0.2)
  --skip-bad            leave out images that cannot be read, listing them; else they are refused

Checkpoints, kept in --out while a run is unfinished, so that --resume can go on to the bit
  --checkpoint-every M  minutes between them; 0: at the ends of tasks only; Nsteps: so many steps;
                        off: none (5)
  --restart             begin runs anew that were interrupted (without this or --resume: refused)

The network
  --hidden N,N,...      mlp: units of the hidden layers, or none (100,100)
  --init xavier|pytorch mlp: first weights: Xavier uniform and zero biases, or torch.nn.Linear's
                        (xavier)
  --init FILE           start from these weights: TorchScript or a dict (.pt), or .safetensors
  --width N             resnet18, convnet: channels of the first layer (64; 20 is reduced ResNet18)
  --device cpu|cuda[:N] where it computes; all but mlp (cpu)
  --precision fp32|bf16 all but mlp: bf16 multiplies in bfloat16, for CPUs with AMX and GPUs (fp32)
  --backend own|libtorch  resnet18: kernels of our own, or LibTorch (own for bf16 on the CPU)
  --operator-threads N  networks in LibTorch: threads inside one operator; results depend on it (1)

Policies
  --ring R[,R...]       mixed: the ring part's share of a task's slots, one or one a task (0.5)
  --ring-quota deal|floor   ring-full: deal out the remainder of |M|/(t C), or round down (deal)
  --in-task strict|running  mixed, gps: while a task is learnt, replay the memory as it was before,
                        or make room at once for a reservoir of the new one (strict; der++: running)
  --base random|curriculum  mixed, gps: which examples the two parts take: any, or those learnt
                        earliest first (random)
  --easy-fraction X     the share of a task that counts as easy, for cur-res, cur-ring-full and
                        --base curriculum (0.2; cur-ring-full: 0.1)
  --easy-rank loss|epoch    likewise: what tells examples apart that were learnt in the same epoch:
                        their loss, or nothing (loss)
  --gss-variant mammoth|greedy  gradient: compare with stored examples, or with ten stored
                        batches as the authors' code does (mammoth)
  --gss-batch N         gradient: stored examples that new ones are compared with, for each step;
                        greedy: examples in each of the ten batches (10)

The simulation (policy gps)
  --objective accuracy|loss   what the search compares (accuracy)
  --score natural|balanced    per example, or averaged over classes (natural)
  --score-examples N    training examples held back for scoring, at most half of them (2000)
  --window W            pseudo-tasks ahead, at most (0: all up to T = 10, and 10 beyond)
  --unknown-length      do not tell gps how many tasks there will be: always a whole window
  --sim-epochs E        passes over each pseudo-task (1; s-cifar-... and tiny-imagenet: 5;
                        offline: --epochs)
  --sim-examples N      examples of each pseudo-task (|M|; offline: all)
  --stride N            of the search; 0: |M|/(5i), kept within
  --min-stride N, --max-stride N   (|M|/(5T) and |M|/10)
  --reuse X             a size within X strides of one that was simulated is not simulated again
                        (0.25; 0: the paper's search to the letter)
)";

}  // namespace gps::cli
