"""`watch` of modules of torch: under autocast, compilers, checkpointing and wrappers, with outputs and parameters of all kinds."""

import copy
import io
import threading
import time

import numpy as np
import pytest
from inspector_notebook import Page, notebook  # noqa: F401 (a fixture)

import gpuplot

torch = pytest.importorskip("torch")
nn = torch.nn

pytestmark = [pytest.mark.usefixtures("notebook"), pytest.mark.host("tensors of torch in host memory")]


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))


@pytest.fixture
def watched():
    """A function that watches a module on a page that is seen."""
    opened = []

    def watch(module, item=None, **keywords):
        w = gpuplot.watch(module, **keywords)
        opened.append(w)
        page = Page(w)
        page.say("ready")
        page.look((0, 8, 0, 8), (8, 8))
        if item is not None:
            w.item = item
        return w

    yield watch
    for w in opened:
        w.close()


def settled(w):
    until = time.monotonic() + 20
    while (w._sampler._delivery._jobs or w._sampler._delivery._is_running) and time.monotonic() < until:
        time.sleep(0.002)


def run(w, call):
    """Calls the module at a time at which a copy may be made; returns what it returns."""
    w._sampler._next_at = 0.0
    found = call()
    settled(w)
    return found


def shown(w):
    """All elements of what is shown, as float32 or complex64."""
    source = w._controller.ask(lambda scene: scene._view_state.source)
    return gpuplot.asnumpy(source)


def text(w):
    return w._controller.state()["text"]


def batch(n=4):
    return torch.randn(n, 16, generator=torch.Generator().manual_seed(1))


def test_names_are_torchs(watched):
    module = model()
    w = watched(module)
    parameters, modules = [name for name, _ in module.named_parameters()], [name or "output" for name, _ in module.named_modules()]
    assert w._controller.state()["items"] == [*parameters, *(f"{name}.grad" for name in parameters), *modules]


def test_a_training_loop(watched):
    """Weights before the step, complete gradients, activations: at every step, with an optimizer that writes in place."""
    module = model()
    optimizer = torch.optim.AdamW(module.parameters(), 0.1)
    w = watched(module)

    def step():
        optimizer.zero_grad()
        module(batch()).square().sum().backward()
        gradient = module[0].weight.grad.clone()
        optimizer.step()
        return gradient.numpy()

    for _ in range(3):
        before = module[0].weight.detach().clone().numpy()
        gradient = run(w, step)
        np.testing.assert_array_equal(shown(w), before)
        assert not np.array_equal(before, module[0].weight.detach().numpy()) and np.any(gradient)
    w.item = "0.weight.grad"
    np.testing.assert_array_equal(run(w, step), shown(w))
    w.item = "1"
    want = module[1](module[0](batch())).detach().numpy()
    run(w, step)
    np.testing.assert_array_equal(shown(w), want)


def test_gradients_add_up(watched):
    module = model()
    w = watched(module, "2.bias.grad")
    for n in (1, 2):
        run(w, lambda: module(batch()).sum().backward())
        np.testing.assert_array_equal(shown(w), np.full(8, 4.0 * n, "f4"))


def test_frozen_and_shared_parameters(watched):
    module = model()
    module[0].requires_grad_(False)
    module.append(nn.Linear(8, 8, bias=False))
    module.append(nn.Linear(8, 8, bias=False))
    module[4].weight = module[3].weight
    w = watched(module, activations=False)
    assert [name for name in w._controller.state()["items"] if name.endswith("grad")] == ["2.weight.grad", "2.bias.grad", "3.weight.grad"]
    assert "4.weight" not in w._controller.state()["items"]
    run(w, lambda: module(batch()).sum().backward())
    np.testing.assert_array_equal(shown(w), module[0].weight.detach())


class Outputs(nn.Module):
    def __init__(self, made):
        super().__init__()
        self.inner, self.made = nn.Linear(16, 8), made

    def forward(self, x):
        return self.made(self.inner(x))


@pytest.mark.parametrize(("made", "names"), [
    (lambda x: (x, None, [x, 3.0]), ["output[0]", "output[2][0]"]),
    (lambda x: {"a": x, "b": {"c": x}}, ["output['a']", "output['b']['c']"]),
    (lambda x: (x, None), ["output"]), (lambda x: "text", [])])
def test_outputs_of_any_form(watched, made, names):
    module = Outputs(made)
    w = watched(module, weights=False, gradients=False)
    run(w, lambda: module(batch()))
    assert w._controller.state()["items"] == [*names, "inner"]
    if names:
        assert w.item == names[0]
        run(w, lambda: module(batch()))
        np.testing.assert_array_equal(shown(w), module.inner(batch()).detach())


def test_recurrent_networks(watched):
    module = nn.LSTM(16, 8)
    w = watched(module, weights=False, gradients=False)
    run(w, lambda: module(batch()))
    assert w._controller.state()["items"] == ["output[0]", "output[1][0]", "output[1][1]"]


def test_attention_whose_inner_module_is_not_called(watched):
    """torch reads the parameters of out_proj itself."""
    module = nn.MultiheadAttention(16, 2, batch_first=True)
    w = watched(module, "out_proj.weight.grad")
    run(w, lambda: module(batch()[None], batch()[None], batch()[None])[0].sum().backward())
    np.testing.assert_array_equal(shown(w), module.out_proj.weight.grad)
    w.item = "out_proj.weight"
    np.testing.assert_array_equal(shown(w), module.out_proj.weight.detach())


@pytest.mark.parametrize("context", [
    torch.no_grad, torch.inference_mode, lambda: torch.autocast("cpu", torch.bfloat16)], ids=["no_grad", "inference", "autocast"])
def test_contexts(watched, context):
    module = model()
    w = watched(module, "0")

    def call():
        with context():
            return module(batch())

    run(w, call)
    with context():
        want = module[0](batch())
    np.testing.assert_array_equal(shown(w), want.detach().float())
    assert w._controller.state()["tensor"]["dtype"] == str(want.dtype).removeprefix("torch.")


@pytest.mark.parametrize("is_reentrant", [True, False])
def test_checkpointing(watched, is_reentrant):
    from torch.utils.checkpoint import checkpoint

    module = model()
    w = watched(module, "1")
    x = batch().requires_grad_()
    want = module[1](module[0](x)).detach()

    def step():
        checkpoint(module, x, use_reentrant=is_reentrant).sum().backward()

    for _ in range(2):
        run(w, step)
        np.testing.assert_array_equal(shown(w), want)
    w.item = "0.weight.grad"
    run(w, step)
    np.testing.assert_array_equal(shown(w), module[0].weight.grad)


def test_in_place_modules_after_it_leave_it_as_it_was(watched):
    module = nn.Sequential(nn.Linear(16, 8), nn.ReLU(inplace=True))
    w = watched(module, "0")
    run(w, lambda: module(batch()))
    assert shown(w).min() < 0


def test_a_forward_that_fails(watched):
    def fail(x):
        raise RuntimeError("out of luck")

    module = Outputs(lambda x: x)
    w = watched(module, "output")
    module.made = fail
    for _ in range(2):
        with pytest.raises(RuntimeError, match="out of luck"):
            run(w, lambda: module(batch()))
    assert text(w) == "comes with the next step of the module"
    module.made = lambda x: x
    run(w, lambda: module(batch()))
    assert text(w) == "" and shown(w).shape == (4, 8)


def test_compiled_modules(watched):
    """Hooks are left out of the graphs, and what they want may change without another compilation."""
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph.forward

    module = model()
    w = watched(module)
    torch._dynamo.reset()
    compiled = torch.compile(module, backend=backend)
    with torch.no_grad():
        run(w, lambda: compiled(batch()))
        n = len(graphs)
        for item in ("0", "1", "2.weight", "output"):
            w.item = item
            run(w, lambda: compiled(batch()))
            assert text(w) == ""
        np.testing.assert_array_equal(shown(w), module(batch()))
    assert len(graphs) == n == 3


def test_a_compiled_module_whose_weights_alone_are_watched_is_one_graph(watched):
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph.forward

    module = model()
    watched(module, activations=False)
    torch._dynamo.reset()
    torch.compile(module, backend=backend)(batch()).sum().backward()
    assert len(graphs) == 1


def test_data_parallel(watched):
    module = nn.DataParallel(model())
    w = watched(module, "module.1")
    run(w, lambda: module(batch()))
    np.testing.assert_array_equal(shown(w), module.module[1](module.module[0](batch())).detach())
    # A replica has the hooks of its module, and runs on a thread of its own.
    replica = module.module[0]._replicate_for_data_parallel()
    replica.weight, replica.bias = module.module[0].weight, module.module[0].bias
    w.item = "module.0"
    w._sampler._step_at -= 10
    w._sampler._next_at = 0.0
    thread = threading.Thread(target=replica, args=(batch(),))
    thread.start()
    thread.join()
    settled(w)
    np.testing.assert_array_equal(shown(w), module.module[0](batch()).detach())


def test_copies_and_files_of_a_module_are_not_watched(watched):
    module = model()
    w = watched(module, "0")
    data = io.BytesIO()
    torch.save(module, data)
    data.seek(0)
    for twin in (copy.deepcopy(module), torch.load(data, weights_only=False)):
        n = w._sampler._n_taken
        run(w, lambda twin=twin: twin(batch()).sum().backward())
        assert w._sampler._n_taken == n


def test_modules_without_a_shape_yet(watched):
    module = nn.Sequential(nn.LazyLinear(8))
    w = watched(module, "0.weight")
    assert text(w).startswith("comes with")
    for _ in range(2):
        run(w, lambda: module(batch()).sum().backward())
    np.testing.assert_array_equal(shown(w), module[0].weight.detach())
    w.item = "0.weight.grad"
    run(w, lambda: module(batch()).sum().backward())
    np.testing.assert_array_equal(shown(w), module[0].weight.grad)


def test_parameters_without_elements_are_a_warning(watched):
    module = model().to("meta")
    with pytest.warns(gpuplot.GpuplotWarning, match="cannot show '0.weight': .*meta"):
        w = watched(module)
    assert text(w).startswith("comes with")


def test_sparse_gradients(watched):
    module = nn.Embedding(20, 4, sparse=True)
    w = watched(module, "weight.grad")
    run(w, lambda: module(torch.tensor([1, 3, 3])).sum().backward())
    np.testing.assert_array_equal(shown(w), module.weight.grad.to_dense())


def test_parameters_that_are_replaced(watched):
    module = model()
    w = watched(module)
    module.load_state_dict({name: torch.ones_like(value) for name, value in module.state_dict().items()}, assign=True)
    run(w, lambda: module(batch()))
    np.testing.assert_array_equal(shown(w), np.ones((32, 16), "f4"))
    module.half()
    w._sampler.refresh()
    assert w._controller.state()["tensor"]["dtype"] == "float16"


def test_a_shared_parameter_that_is_replaced_in_one_place(watched):
    """The gradient of the other place was shown under its name, and each replacement left a hook."""
    module = nn.Sequential(nn.Linear(16, 16), nn.Linear(16, 16))
    module[1].weight = module[0].weight
    w = watched(module, "0.weight.grad")
    n_handles = len(w._sampler._handles)
    for _ in range(2):
        module[0].weight = nn.Parameter(module[0].weight.detach() * 2)
        module.zero_grad()
        run(w, lambda: module(batch()).square().sum().backward())
        np.testing.assert_array_equal(shown(w), module[0].weight.grad)
    assert len(w._sampler._handles) == n_handles
    w.close()
    assert not any(layer.weight._post_accumulate_grad_hooks for layer in module)


@pytest.mark.parametrize("new", [None, torch.zeros(16)], ids=["none", "frozen"])
def test_a_shared_parameter_that_loses_its_gradient_in_one_place(watched, new):
    """Its hook stayed, and the gradient of the other place was shown under its name."""
    module = nn.Sequential(nn.Linear(16, 16), nn.Linear(16, 16))
    module[1].bias = module[0].bias
    w = watched(module, "0.bias.grad")
    n_handles = len(w._sampler._handles)
    module[0].bias = None if new is None else nn.Parameter(new, requires_grad=False)
    run(w, lambda: module(batch()).square().sum().backward())
    assert len(w._sampler._handles) == n_handles - 1
    assert not any(hook.is_wanted for hook in module[1].bias._post_accumulate_grad_hooks.values())
    module[0].bias = nn.Parameter(torch.ones(16))
    run(w, lambda: module(batch()).square().sum().backward())
    np.testing.assert_array_equal(shown(w), module[0].bias.grad)
    assert len(w._sampler._handles) == n_handles


def test_functional_transforms(watched):
    """Tensors inside vmap stand for many: they are not shown, and the transform goes on."""
    module = model()
    w = watched(module, "0")
    with pytest.warns(gpuplot.GpuplotWarning, match="vmap"):
        found = run(w, lambda: torch.vmap(module)(batch()))
    np.testing.assert_allclose(found.detach(), module(batch()).detach(), rtol=1e-5, atol=1e-6)


def test_a_picture_is_never_of_two_moments(watched):
    """An optimizer writes to all of a large weight in place while the thread reads what it got."""
    module = nn.Linear(1000, 1000, bias=False)
    module.weight.detach().fill_(0)
    w = watched(module, rate=1000)
    with torch.no_grad():
        for k in range(60):
            module.weight.fill_(k)
            w._sampler._next_at = 0.0
            module(torch.zeros(1, 1000))
            found = shown(w)
            assert found.min() == found.max()


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_what_torchscript_has_compiled_is_refused_and_the_rest_is_watched(watched):
    """Its modules take no hooks, and their parameters are in no dict: that was an AttributeError of torch's."""
    scripted = torch.jit.script(nn.Sequential(nn.Linear(4, 4)))
    mixed = nn.Sequential(nn.Linear(4, 4), scripted)
    with pytest.raises(TypeError, match=r"before torch.jit.script or torch.jit.trace, or .*inspect\(module.state_dict"):
        gpuplot.watch(scripted)
    with pytest.raises(TypeError, match=r"the part with '1.0.weight'.*choose others by names="):
        gpuplot.watch(mixed, gradients=False)
    assert watched(mixed, names=["0*"]).item == "0.weight"
    mixed(torch.ones(2, 4)).sum().backward()


def test_what_is_no_module_of_torch_is_refused():
    with pytest.raises(TypeError, match="not Parameter: give the model itself"):
        gpuplot.watch(model()[0].weight)
    with pytest.raises(TypeError, match="Linear is a class"):
        gpuplot.watch(nn.Linear)
