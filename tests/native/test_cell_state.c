/* Partial results of cells: pieces joined in any grouping give the whole, whatever the aggregation and the elements. */
#include "../../native/core/states/cell_state.h"
#include "check.h"

#define N_ELEMS 24
#define N_TRIALS 2000

static uint64_t seed = 20240601;

static uint64_t draw(uint64_t n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed % n;
}

/* A number whose sums are exact; sometimes one that is not finite. */
static double any_element(bool has_bad)
{
    const double bad[4] = {gp_f64_from_bits(0x7ff8000000000000u), (double)INFINITY, -(double)INFINITY, gp_masked_value()};
    if (has_bad && draw(4) == 0)
        return bad[draw(4)];
    return (double)draw(2000) / 8 - 100;
}

static gp_cell_state state_of(gp_agg agg, const double *x, const double *weights, int begin, int end)
{
    gp_cell_state state = gp_cell_state_none(gp_agg_kind(agg));
    for (int i = begin; i < end; i++) {
        gp_cell_state one = gp_cell_state_one(gp_agg_kind(agg), x[i], gp_order_of_f64(x[i]), weights[i]);
        gp_cell_state_join(gp_agg_kind(agg), &state, &one);
    }
    return state;
}

/* Elements begin..end as states of random pieces, joined by a random tree. */
static gp_cell_state state_of_pieces(gp_agg agg, const double *x, const double *weights, int begin, int end)
{
    if (end - begin < 2 || draw(3) == 0)
        return state_of(agg, x, weights, begin, end);
    int middle = begin + (int)draw((uint64_t)(end - begin + 1));
    gp_cell_state left = state_of_pieces(agg, x, weights, begin, middle);
    gp_cell_state right = state_of_pieces(agg, x, weights, middle, end);
    gp_cell_state_join(gp_agg_kind(agg), &left, &right);
    return left;
}

/* Sums of weighted moments round; all else is exact here. */
static bool are_equal(gp_agg agg, double a, double b)
{
    bool is_moments = gp_agg_kind(agg) == GP_STATE_MOMENTS && a - a == 0 && b - b == 0;
    return gp_bits_from_f64(a) == gp_bits_from_f64(b) || (is_moments && fabs(a - b) <= 1e-12 * 1e4);
}

static void test_pieces_join_in_any_grouping(void)
{
    double x[N_ELEMS], weights[N_ELEMS];
    for (int trial = 0; trial < N_TRIALS; trial++)
        for (int agg = 0; agg < GP_N_AGGS; agg++) {
            for (int i = 0; i < N_ELEMS; i++)
                x[i] = any_element(trial % 2 == 1), weights[i] = (double)(1 + draw(8)) / 8;
            gp_cell_state whole = state_of((gp_agg)agg, x, weights, 0, N_ELEMS);
            gp_cell_state joined = state_of_pieces((gp_agg)agg, x, weights, 0, N_ELEMS);
            CHECK(whole.has == joined.has);
            for (int nan = 0; nan < GP_N_NANS; nan++)
                CHECK(are_equal((gp_agg)agg, gp_cell_state_finish((gp_agg)agg, (gp_nan)nan, GP_ORDER_F64, &whole),
                                gp_cell_state_finish((gp_agg)agg, (gp_nan)nan, GP_ORDER_F64, &joined)));
        }
}

static void test_nothing_joins_as_nothing(void)
{
    for (int agg = 0; agg < GP_N_AGGS; agg++) {
        gp_state_kind kind = gp_agg_kind((gp_agg)agg);
        gp_cell_state none = gp_cell_state_none(kind), some = gp_cell_state_one(kind, -3.5, gp_order_of_f64(-3.5), 0.25);
        gp_cell_state left = none, right = some;
        gp_cell_state_join(kind, &left, &some);
        gp_cell_state_join(kind, &right, &none);
        CHECK(memcmp(&left, &some, sizeof some) == 0 && memcmp(&right, &some, sizeof some) == 0);
        CHECK(gp_is_empty_cell(gp_cell_state_finish((gp_agg)agg, GP_NAN_SHOW, GP_ORDER_F64, &none)));
    }
}

static void test_orders_compare_as_numbers(void)
{
    const double x[] = {-(double)INFINITY, -1e300, -1, -5e-324, 0, 5e-324, 1, 1e300, (double)INFINITY};
    const uint64_t u[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    CHECK(gp_order_of_f64(-0.0) == gp_order_of_f64(0.0));
    for (int i = 0; i < 9; i++) {
        CHECK(gp_f64_of_order(gp_order_of_f64(x[i])) == x[i] && gp_f64_of(GP_ORDER_F64, gp_order_of_f64(x[i])) == x[i]);
        CHECK(i == 0 || gp_order_of_f64(x[i - 1]) < gp_order_of_f64(x[i]));
        CHECK((gp_ordered_f64(x[i]) ^ (uint64_t)1 << 63) == (uint64_t)gp_order_of_f64(x[i]));
    }
    for (int i = 0; i < 5; i++) {
        CHECK(gp_u64_of_order(gp_order_of_u64(u[i])) == u[i] && gp_f64_of(GP_ORDER_U64, gp_order_of_u64(u[i])) == (double)u[i]);
        CHECK(i == 0 || gp_order_of_u64(u[i - 1]) < gp_order_of_u64(u[i]));
    }
}

int main(void)
{
    test_pieces_join_in_any_grouping();
    test_nothing_joins_as_nothing();
    test_orders_compare_as_numbers();
    return 0;
}
