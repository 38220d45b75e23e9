/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <string.h>

void plan_decide(struct plan *plan, const char *option, const struct facts *facts) {
    const struct situation situation = {&plan->options, facts};
    option_copy(&plan->options, &plan->request, option);
    if (strcmp(option, "epochs") == 0)
        plan->length = (struct training_length){.passes = plan->request.epochs};
    bool left = option_is_default(&plan->request, option);
    const struct rule *rule = left || !rules_choose(option) ? rule_for(option, &situation) : NULL;
    plan->rule[option_index(option)] = rule;
    if (rule && rule->value)
        nim_options_set(&plan->options, option, rule->value, NULL);
    else if (rule)
        rule->choose(rule, &situation, &plan->options, &plan->length);
}

struct plan plan_make(const struct nim_options *request, const struct facts *facts) {
    struct plan plan = {.request = *request, .options = *request, .rows = facts->rows};
    const char *last = "";
    for (const struct rule *rule = rule_list; rule->option; rule++) {
        if (strcmp(rule->option, last) != 0)
            plan_decide(&plan, rule->option, facts);
        last = rule->option;
    }
    return plan;
}

void plan_decide_rest(struct plan *plan, size_t width) {
    const struct facts facts = {.rows = plan->rows, .width = width};
    for (size_t i = 0; i < nim_option_count(); i++) {
        const nim_option_info *info = nim_option_describe(i);
        if (info->role != NIM_OPTION_SHAPES)
            plan_decide(plan, info->name, &facts);
    }
}

void plan_recall(struct plan *plan, const char *option, const char *reason) {
    char text[256];
    size_t index = option_index(option);
    for (const struct rule *rule = rule_list; index < OPTION_COUNT && rule->option; rule++) {
        rule_reason(rule, text, sizeof text);
        if (strcmp(rule->option, option) == 0 && strcmp(text, reason) == 0)
            plan->rule[index] = rule;
    }
}
