"""The library's memories for Mammoth: the model ``er-gps``.

Put a file ``models/er_gps.py`` with this line into Mammoth's folder:

    from gpscl.mammoth import ErGps

Then ``python main.py --model er-gps --buffer_size 500 ...`` runs Experience Replay whose memory is a gpscl.Memory.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import torch

try:
    from models.utils.continual_model import ContinualModel
    from utils.args import add_rehearsal_args
    from utils.augmentations import apply_transform
except ImportError as error:
    raise ImportError(f"gpscl.mammoth is imported by a file in Mammoth's folder models/, not alone: {error}") from None

from .decision import Decision
from .memory import Memory
from .torch import Simulation

__all__ = ["ErGps", "MemoryBuffer"]


class MemoryBuffer:
    """A gpscl.Memory with the functions of Mammoth's Buffer that training and checkpoints call.

    A checkpoint in the middle of a task (Mammoth makes one when it is interrupted) has the memory as it was when the task
    began: Mammoth can only learn that task again, and its examples would come twice.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._when_task_began: Optional[Dict[str, Any]] = None

    def __len__(self) -> int:
        return len(self.memory)

    def is_empty(self) -> bool:
        return len(self.memory) == 0

    @property
    def buffer_size(self) -> Optional[int]:
        return self.memory.capacity

    def add_data(self, examples: "torch.Tensor", labels: "torch.Tensor") -> None:
        self.memory.observe(None, labels.cpu(), examples.cpu())

    def get_data(self, size: int, transform: Any = None, device: Any = None) -> Tuple["torch.Tensor", "torch.Tensor"]:
        examples, labels = self.memory.sample(size)
        examples = torch.as_tensor(examples)
        if device is not None:
            examples = examples.to(device)
        return apply_transform(examples, transform=transform), torch.as_tensor(labels).to(examples.device)

    def begin_task(self) -> None:
        self._when_task_began = self.memory.state_dict()

    def end_task(self, simulation: Optional[Simulation] = None) -> Optional[Decision]:
        decision = self.memory.end_task(None, simulation)
        self._when_task_began = None
        return decision

    def to(self, device: Any) -> "MemoryBuffer":
        """Examples stay in the memory of the CPU; get_data() moves what it draws."""
        return self

    def serialize(self, out_device: str = "cpu") -> Dict[str, Any]:
        """All that the memory's further choices depend on, for a checkpoint: numbers, texts and a tensor."""
        state = self._when_task_began if self._when_task_began is not None else self.memory.state_dict()
        return {**state, "state": torch.as_tensor(state["state"])}

    @staticmethod
    def from_state(state: Dict[str, Any]) -> "MemoryBuffer":
        return MemoryBuffer(Memory.from_state_dict(state))

    def __reduce__(self) -> Tuple[Any, ...]:
        """Copies and pickles are checkpoints, too."""
        return MemoryBuffer.from_state, (self.serialize(),)


class ErGps(ContinualModel):
    """Experience Replay with a memory that simulates the future (GPS), or with another policy of gpscl."""

    NAME = "er-gps"
    COMPATIBILITY = ["class-il", "domain-il", "task-il"]

    @staticmethod
    def get_parser(parser: Any) -> Any:
        add_rehearsal_args(parser)
        parser.add_argument("--memory_policy", type=str, default="gps",
                            help="gpscl's policy: gps, reservoir, ring-full, mixed:0.5, ...")
        parser.add_argument("--gps_future", type=str, default="permutation",
                            help="how gps makes pseudo-tasks: permutation, rotation or blurring")
        parser.add_argument("--gps_epochs", type=int, default=None, help="epochs of a pseudo-task")
        parser.add_argument("--gps_examples", type=int, default=None, help="examples of a pseudo-task; 0: all")
        return parser

    def __init__(self, backbone: Any, loss: Any, args: Any, transform: Any, dataset: Any = None) -> None:
        super().__init__(backbone, loss, args, transform, dataset=dataset)
        asked = {"simulation_epochs": args.gps_epochs, "simulation_examples": args.gps_examples}
        options = {key: value for key, value in asked.items() if value is not None}
        self._is_simulated = args.memory_policy.split(":")[0] == "gps"
        self.buffer = MemoryBuffer(Memory(args.buffer_size, policy=args.memory_policy, seed=args.seed or 0,
                                          classes=self.num_classes, tasks=self.n_tasks, batch=args.batch_size,
                                          **(options if self._is_simulated else {})))
        self._has_seen = False

    def begin_task(self, dataset: Any) -> None:
        self.buffer.begin_task()

    def observe(self, inputs: Any, labels: Any, not_aug_inputs: Any, epoch: Optional[int] = None) -> float:
        """One step on the batch and a batch of the memory, as Mammoth's er."""
        new = labels
        self.opt.zero_grad()
        if not self.buffer.is_empty():
            replayed, their_labels = self.buffer.get_data(self.args.minibatch_size, transform=self.transform,
                                                          device=self.device)
            inputs = torch.cat((inputs, replayed))
            labels = torch.cat((labels, their_labels))
        loss = self.loss(self.net(inputs), labels)
        loss.backward()
        self.opt.step()
        if not epoch:  # the same examples come again in later epochs
            self.buffer.add_data(not_aug_inputs, new)
            self._has_seen = True
        return loss.item()

    def end_task(self, dataset: Any) -> None:
        if not self._has_seen:  # a task that a checkpoint skips
            return
        self._has_seen = False
        if not self._is_simulated:
            self.buffer.end_task()
            return
        simulation = Simulation(self.net, self.get_optimizer, self.loss, future=self.args.gps_future,
                                transform=lambda x: apply_transform(x, transform=self.transform), device=self.device,
                                memory_batch=self.args.minibatch_size, er_loss="concat")
        print(self.buffer.end_task(simulation))

    def load_buffer(self, buffer: Any) -> None:
        """From a checkpoint, safe or pickled. It goes on with the seed that it had."""
        loaded = buffer if isinstance(buffer, MemoryBuffer) else MemoryBuffer.from_state(buffer)
        own = self.buffer.memory
        for name in ("budget", "policy"):
            saved, now = getattr(loaded.memory, name), getattr(own, name)
            if saved != now:
                raise ValueError(f"the checkpoint's memory has the {name} {saved}, this model has {now}")
        self.buffer = loaded
