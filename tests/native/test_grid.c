/* Cells of one axis: touched and owned elements, weights, the nearest regime, snapping, reversal and refusals. */
#include "../../native/core/grids/grid.h"
#include "check.h"

static gp_axis fit(int64_t n, double u0, double u1, int64_t n_cells, gp_tie tie, gp_regime regime)
{
    gp_axis axis;
    gp_error error;
    CHECK(gp_axis_fit(n, u0, u1, n_cells, tie, regime, &axis, &error) == GP_OK);
    CHECK(axis.n_elems == n && axis.n_cells == n_cells);
    return axis;
}

static void check_span(const gp_axis *axis, int p, int64_t begin, int64_t end, int64_t owned_begin, int64_t owned_end,
                       double w_first, double w_last)
{
    const gp_span *span = &axis->spans[p];
    CHECK(span->touched_begin == begin && span->touched_end == end);
    CHECK(span->owned_begin == owned_begin && span->owned_end == owned_end);
    CHECK(fabs(span->w_first - w_first) < 1e-15 && fabs(span->w_last - w_last) < 1e-15);
}

static void test_wide_cells(void)
{
    gp_axis axis = fit(4, 0, 4, 3, GP_TIE_UP, GP_REGIME_BY_WIDTH);
    check_span(&axis, 0, 0, 2, 0, 1, 1.0, 1.0 / 3.0);
    check_span(&axis, 1, 1, 3, 1, 2, 2.0 / 3.0, 2.0 / 3.0);
    check_span(&axis, 2, 2, 4, 2, 4, 1.0 / 3.0, 1.0);
    CHECK(!axis.is_nearest && !axis.is_reversed);
    gp_axis_free(&axis);
    gp_axis_free(&axis); /* twice is fine */
    /* cells of as many elements side by side, whose outer ones are there in part */
    axis = fit(4, 0.25, 3.75, 2, GP_TIE_UP, GP_REGIME_BY_WIDTH);
    check_span(&axis, 0, 0, 2, 0, 2, 0.75, 1.0);
    check_span(&axis, 1, 2, 4, 2, 3, 1.0, 0.75);
    CHECK(axis.even_width == 0);
    gp_axis_free(&axis);
    /* a view so wide that a number of cells times its width is no float64 */
    axis = fit(4, -1e308, 1e307, 10, GP_TIE_UP, GP_REGIME_BY_WIDTH);
    check_span(&axis, 8, 0, 0, 0, 0, 0.0, 0.0);
    check_span(&axis, 9, 0, 4, 0, 4, 1.0, 1.0);
    gp_axis_free(&axis);
    axis = fit(10, 0, 10, 4, GP_TIE_UP, GP_REGIME_BY_WIDTH);
    check_span(&axis, 1, 2, 5, 2, 5, 0.5, 1.0);
    check_span(&axis, 2, 5, 8, 5, 7, 1.0, 0.5);
    gp_axis_free(&axis);
}

static void check_nearest(int64_t n, double u0, double u1, int n_cells, gp_tie tie, gp_regime regime, const int *want)
{
    gp_axis axis = fit(n, u0, u1, n_cells, tie, regime);
    CHECK(axis.is_nearest);
    for (int p = 0; p < n_cells; p++) {
        const gp_span *span = &axis.spans[p];
        if (want[p] < 0)
            CHECK(span->touched_begin == span->touched_end);
        else
            CHECK(span->touched_begin == want[p] && span->touched_end == want[p] + 1 && span->w_first == 1.0);
    }
    gp_axis_free(&axis);
}

static void test_nearest(void)
{
    check_nearest(3, 0, 3, 6, GP_TIE_UP, GP_REGIME_BY_WIDTH, (int[]){0, 0, 1, 1, 2, 2});
    check_nearest(4, 0, 4, 3, GP_TIE_UP, GP_REGIME_NEAREST, (int[]){0, 2, 3});
    check_nearest(10, 0, 10, 4, GP_TIE_UP, GP_REGIME_NEAREST, (int[]){1, 3, 6, 8});
    check_nearest(4, 0.5, 3.5, 4, GP_TIE_UP, GP_REGIME_BY_WIDTH, (int[]){0, 1, 2, 3});
    check_nearest(6, 6, 10, 4, GP_TIE_UP, GP_REGIME_BY_WIDTH, (int[]){-1, -1, -1, -1});
    check_nearest(4, -2, 2, 4, GP_TIE_UP, GP_REGIME_BY_WIDTH, (int[]){-1, -1, 0, 1});
    /* centers exactly on edges: half a cell to either side */
    check_nearest(4, 0.5, 3.5, 3, GP_TIE_UP, GP_REGIME_BY_WIDTH, (int[]){1, 2, 3});
    check_nearest(4, 0.5, 3.5, 3, GP_TIE_DOWN, GP_REGIME_BY_WIDTH, (int[]){0, 1, 2});
    check_nearest(6, 0, 6, 3, GP_TIE_UP, GP_REGIME_NEAREST, (int[]){1, 3, 5});
    check_nearest(6, 0, 6, 3, GP_TIE_DOWN, GP_REGIME_NEAREST, (int[]){0, 2, 4});
    check_nearest(6, -2, 6, 4, GP_TIE_DOWN, GP_REGIME_NEAREST, (int[]){-1, 0, 2, 4});
    check_nearest(2, 0, 2, 1, GP_TIE_DOWN, GP_REGIME_NEAREST, (int[]){0});
}

static void test_snapping(void)
{
    /* 0.2 + 6 * 8 / 10 is 4.999999999999999 and means 5; a sliver of element 4 must not be touched */
    gp_axis axis = fit(50, 0.2, 8.2, 5, GP_TIE_UP, GP_REGIME_BY_WIDTH);
    CHECK(axis.spans[3].touched_begin == 5);
    gp_axis_free(&axis);
    axis = fit(49, -1e-13, 49 + 1e-13, 7, GP_TIE_UP, GP_REGIME_BY_WIDTH);
    check_span(&axis, 0, 0, 7, 0, 7, 1.0, 1.0);
    check_span(&axis, 6, 42, 49, 42, 49, 1.0, 1.0);
    gp_axis_free(&axis);
}

static void test_reversed_and_outside(void)
{
    gp_axis axis = fit(4, 4, 0, 3, GP_TIE_UP, GP_REGIME_BY_WIDTH);
    CHECK(axis.is_reversed);
    check_span(&axis, 0, 0, 2, 0, 1, 1.0, 1.0 / 3.0);
    gp_axis_free(&axis);
    axis = fit(10, -1e300, 1e300, 3, GP_TIE_UP, GP_REGIME_BY_WIDTH);
    check_span(&axis, 1, 0, 10, 0, 10, 1.0, 1.0);
    CHECK(axis.spans[0].touched_end == 0 && axis.spans[2].touched_end == 0);
    gp_axis_free(&axis);
}

static void test_huge_axes(void)
{
    int64_t n = (int64_t)1 << 52;
    gp_axis axis = fit(n, 0, (double)n, 3, GP_TIE_UP, GP_REGIME_BY_WIDTH), none = {0};
    CHECK(axis.spans[0].touched_end == n / 3 + 1 && axis.spans[2].touched_end == n);
    CHECK(fabs(axis.spans[0].w_last - 1.0 / 3.0) < 1e-15); /* from the fraction itself, not from a difference of edges */
    gp_axis_free(&axis);
    gp_axis_free(&none);
}

static gp_axis fitted(double u0, double u1, int64_t n_cells, gp_regime regime)
{
    gp_axis axis;
    gp_error error = {0};
    CHECK(gp_axis_fit(10, u0, u1, n_cells, GP_TIE_UP, regime, &axis, &error) == GP_OK);
    return axis;
}

static void test_one_to_one(void)
{
    gp_axis inside = fitted(3, 7, 4, GP_REGIME_BY_WIDTH), turned = fitted(7, 3, 4, GP_REGIME_BY_WIDTH);
    gp_axis beyond = fitted(-1, 3, 4, GP_REGIME_BY_WIDTH), twice = fitted(0, 2, 4, GP_REGIME_BY_WIDTH);
    gp_axis every_other = fitted(0, 10, 5, GP_REGIME_NEAREST), wide = fitted(0, 10, 5, GP_REGIME_BY_WIDTH);
    CHECK(gp_axis_is_one_to_one(&inside) && gp_axis_is_one_to_one(&turned));
    CHECK(!gp_axis_is_one_to_one(&beyond) && !gp_axis_is_one_to_one(&twice));
    CHECK(!gp_axis_is_one_to_one(&every_other) && !gp_axis_is_one_to_one(&wide));
    gp_axis *axes[] = {&inside, &turned, &beyond, &twice, &every_other, &wide};
    for (int i = 0; i < 6; i++)
        gp_axis_free(axes[i]);
}

static void test_edges(void)
{
    const double edges[] = {1, 10, 100}, centers[] = {3.2, 31.6};
    gp_axis axis;
    gp_error error = {0};
    int64_t begin, end;
    CHECK(gp_axis_fit_edges(100, edges, centers, 2, GP_TIE_UP, GP_REGIME_BY_WIDTH, &axis, &error) == GP_OK);
    check_span(&axis, 0, 1, 10, 1, 10, 1.0, 1.0);
    check_span(&axis, 1, 10, 100, 10, 100, 1.0, 1.0);
    gp_axis_touched(&axis, &begin, &end);
    CHECK(begin == 1 && end == 100);
    gp_axis_free(&axis);
    const double beyond[] = {-INFINITY, 2, 6, INFINITY}, middles[] = {NAN, 4, NAN}; /* such as those of a logarithm */
    CHECK(gp_axis_fit_edges(9, beyond, middles, 3, GP_TIE_UP, GP_REGIME_BY_WIDTH, &axis, &error) == GP_OK);
    check_span(&axis, 0, 0, 0, 0, 0, 0.0, 0.0);
    check_span(&axis, 1, 2, 6, 2, 6, 1.0, 1.0);
    check_span(&axis, 2, 0, 0, 0, 0, 0.0, 0.0);
    gp_axis_touched(&axis, &begin, &end);
    CHECK(begin == 2 && end == 6);
    gp_axis_free(&axis);
    const double turned[] = {5, 2, 3};
    CHECK(gp_axis_fit_edges(100, turned, centers, 2, GP_TIE_UP, GP_REGIME_BY_WIDTH, &axis, &error) == GP_ERR_VALUE);
}

static bool is_partition(double u0, double u1, int64_t n_cells)
{
    gp_axis axis = fit(6, u0, u1, n_cells, GP_TIE_UP, GP_REGIME_BY_WIDTH);
    bool is = gp_axis_is_partition(&axis);
    gp_axis_free(&axis);
    return is;
}

static void test_partitions(void)
{
    CHECK(is_partition(0, 6, 2) && is_partition(0, 6, 4) && is_partition(6, 0, 4) && is_partition(-3, 9, 3));
    CHECK(!is_partition(2, 6, 2) && !is_partition(0, 4, 2) && !is_partition(1.5, 6, 2) && !is_partition(0, 12, 24));
}

static void test_refusals(void)
{
    const double bad[][2] = {{1, 1}, {NAN, 1}, {0, INFINITY}, {-1.7e308, 1.7e308}};
    gp_axis axis;
    gp_error error = {0};
    for (int i = 0; i < 4; i++)
        CHECK(gp_axis_fit(5, bad[i][0], bad[i][1], 3, GP_TIE_UP, GP_REGIME_BY_WIDTH, &axis, &error) == GP_ERR_VALUE);
    CHECK(gp_axis_fit(5, 0, 5, 0, GP_TIE_UP, GP_REGIME_BY_WIDTH, &axis, &error) == GP_ERR_VALUE);
    CHECK(error.message[0] != '\0');
}

int main(void)
{
    test_wide_cells();
    test_nearest();
    test_snapping();
    test_reversed_and_outside();
    test_huge_axes();
    test_edges();
    test_one_to_one();
    test_partitions();
    test_refusals();
    return 0;
}
