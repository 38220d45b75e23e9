/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of all options, from which come their structure (options.h), their table (options.c),
 * and with it all texts. A new option is one entry here, its rule in rules.c if the library chooses
 * it, and its use. It is included where OPTION is defined:
 *
 *     OPTION(kind of the member, name, default, values, help, type, names, least, most, role, tier)
 */
/* clang-format off */
OPTION(KERNEL, kernel, "auto",
       "auto" KERNEL_LIST(TERM_AFTER_COMMA, SUM_AFTER_COMMA),
       "Kernel of the latent functions, which sets how smooth they are; se is the squared exponential; "
       "a sum adds a linear function to a nonlinear one.",
       CHOICE, kernel_names, 0, 0, SHAPES, EVERYDAY)
OPTION(WHOLE, degree, "3",
       "1 .. 64",
       "Degree of the polynomial kernel.",
       WHOLE, NULL, 1, 64, SHAPES, EXPERT)
OPTION(LIKELIHOOD, likelihood, "robust_max",
       &LIKELIHOOD_LIST(AFTER_COMMA)[sizeof COMMA - 1],
       "What the target is and how it depends on the latent functions.",
       CHOICE, likelihood_names, 0, 0, SHAPES, EVERYDAY)
OPTION(REAL, lowest, "-inf",
       "-inf .. inf",
       "Numbers: y is above this bound, and so is all that is predicted. The logarithm of the distance from it "
       "is learned; 0 is for positive numbers.",
       REAL, NULL, -HUGE_VAL, HUGE_VAL, SHAPES, EXPERT)
OPTION(REAL, highest, "inf",
       "-inf .. inf",
       "Numbers: y is below this bound. With both bounds a logit is learned.",
       REAL, NULL, -HUGE_VAL, HUGE_VAL, SHAPES, EXPERT)
OPTION(INPUT, input, "auto",
       "auto" INPUT_LIST(AFTER_COMMA),
       "How the error bars of the inputs are used: marginal averages over the possible true inputs; latent "
       "infers the true inputs of each training row; amortised infers them with a network; first order uses "
       "the slope of the functions; exact ignores the error bars; the others are baselines.",
       CHOICE, input_names, 0, 0, SHAPES, EVERYDAY)
OPTION(CHOICE, noise, "given",
       "given, learned, both",
       "Variance of the input noise: from the given errors, one learned variance per attribute, or "
       "the sum of both.",
       CHOICE, NAMES("given", "learned", "both"), 0, 0, SHAPES, EVERYDAY)
OPTION(REAL, noise_start, "0",
       "0 .. 100",
       "Initial value of a learned noise variance, relative to the attribute's variance.",
       REAL, NULL, 0, 100, SHAPES, RESEARCH)
OPTION(WHOLE, classes, "0",
       "0, or 2 .. 10000",
       "Number of classes; 0: one more than the largest label.",
       WHOLE, NULL, 0, 10000, SHAPES, EXPERT)
OPTION(WHOLE, functions, "0",
       "0 .. 1000",
       "Number of latent functions that the labels share (multilabel); 0: one per label, at most 8.",
       WHOLE, NULL, 0, 1000, SHAPES, EXPERT)
OPTION(WHOLE, inducing, "0",
       "0 .. 10000",
       "Inducing inputs per latent function: the points between which a function is interpolated.",
       WHOLE, NULL, 0, 10000, SHAPES, EVERYDAY)
OPTION(REAL, alpha, "auto",
       "auto, or 0 .. 1",
       "What training maximises: 0 is the evidence lower bound, 1 is the log of the predicted "
       "probability, and a number between them is a compromise (a power divergence).",
       REAL, NAMES("auto"), 0, 1, SHAPES, EXPERT)
OPTION(REAL, caution, "auto",
       "auto, or 0.001 .. 1",
       "Weight of the divergence of the latent functions from their prior; a smaller weight trusts "
       "the data more.",
       REAL, NAMES("auto"), 0.001, 1, SHAPES, EXPERT)
OPTION(REAL, lengthscale_prior, "auto",
       "auto, or 0 .. 10",
       "Width of a log-normal prior of the lengthscales, centred at 1.6 times the square root of the "
       "number of attributes; 0: no prior.",
       REAL, NAMES("auto"), 0, 10, SHAPES, EXPERT)
OPTION(REAL, epsilon, "0.001",
       "1e-9 .. 0.5",
       "Share of wrong labels, for the robust-max likelihood.",
       REAL, NULL, 1e-9, 0.5, SHAPES, EXPERT)
OPTION(WHOLE, learn_epsilon, "0",
       "0 or 1",
       "Whether the share of wrong labels is learned, starting at epsilon.",
       FLAG, NAMES("0", "1"), 0, 1, SHAPES, EXPERT)
OPTION(WHOLE, epochs, "0",
       "0 .. 1000000",
       "Passes over the data: the maximum with stop=auto, the exact number with stop=fixed.",
       WHOLE, NULL, 0, 1e6, TRAINS, EVERYDAY)
OPTION(WHOLE, warm_up, "1000",
       "0 .. 1000000000",
       "Number of first steps in which the random draws of noisy inputs grow to their full width.",
       WHOLE, NULL, 0, 1e9, TRAINS, EXPERT)
OPTION(CHOICE, stop, "auto",
       "auto, fixed",
       "auto: stop when the bound no longer improves; fixed: stop after the given number of epochs, "
       "with a constant step size.",
       CHOICE, NAMES("auto", "fixed"), 0, 0, TRAINS, EXPERT)
OPTION(WHOLE, batch, "0",
       "0 .. 1000000",
       "Rows in a minibatch.",
       WHOLE, NULL, 0, 1e6, TRAINS, EXPERT)
OPTION(CHOICE, last_batch, "even",
       "even, rest",
       "even: the minibatches of an epoch have one size; rest: all but the last are full, and the last has "
       "the remaining rows.",
       CHOICE, NAMES("even", "rest"), 0, 0, TRAINS, RESEARCH)
OPTION(CHOICE, row_steps, "visited",
       "visited, always",
       "When Adam moves the parameters of a single row, with latent inputs. visited: in steps whose minibatch "
       "has the row; always: in every step, with gradient zero if the minibatch does not have the row.",
       CHOICE, NAMES("visited", "always"), 0, 0, TRAINS, RESEARCH)
OPTION(REAL, rate, "auto",
       "auto, or 1e-8 .. 1",
       "Step size of Adam.",
       REAL, NAMES("auto"), 1e-8, 1, TRAINS, EXPERT)
OPTION(CHOICE, precision, "auto",
       "auto, double, single",
       "Precision of the large products of matrices in a training step; sums, factorisations and "
       "parameters are always double.",
       CHOICE, NAMES("auto", "double", "single"), 0, 0, TRAINS, EXPERT)
OPTION(REAL, lengthscale_rate, "1",
       "1e-3 .. 1",
       "Step size of the logarithms of lengthscales, relative to rate. 0.5 gives the logarithms of squared "
       "lengthscales the same step size as all other parameters.",
       REAL, NULL, 1e-3, 1, TRAINS, RESEARCH)
OPTION(CHOICE, calibrate, "auto",
       "auto, none",
       "auto: calibrate by cross-validation: the probabilities of classes and levels with a temperature and "
       "offsets, sets of classes and intervals of numbers by ranks of held-out rows; none: do not.",
       CHOICE, NAMES("auto", "none"), 0, 0, TRAINS, EVERYDAY)
OPTION(CHOICE, novelty, "auto",
       "auto, always",
       "When the model learns how unusual a row is. auto: if it learns a population of true inputs; "
       "always: in any case.",
       CHOICE, NAMES("auto", "always"), 0, 0, TRAINS, EVERYDAY)
OPTION(WHOLE, samples, "0",
       "0 .. 1000",
       "Points at which each row is evaluated in a training step.",
       WHOLE, NULL, 0, 1000, SHAPES, EXPERT)
OPTION(WHOLE, points, "0",
       "0 .. 65536",
       "Quasi-random points over which the prediction of a noisy row is averaged.",
       WHOLE, NULL, 0, 65536, PREDICTS, EXPERT)
OPTION(REAL, tolerance, "0.002",
       "0.0001 .. 0.1",
       "Accuracy of the predicted probabilities of noisy rows if points is 0: nearly all of them differ by "
       "less than this from the average over all possible true inputs. Parts of an entropy are less accurate: "
       "about 0.015 nats at the default.",
       REAL, NULL, 0.0001, 0.1, PREDICTS, EXPERT)
OPTION(WHOLE, layers, "2",
       "1 .. 6",
       "Hidden layers of the network of amortised inputs.",
       WHOLE, NULL, 1, 6, SHAPES, EXPERT)
OPTION(WHOLE, units, "50",
       "1 .. 4096",
       "Width of each hidden layer of the network of amortised inputs.",
       WHOLE, NULL, 1, 4096, SHAPES, EXPERT)
OPTION(CHOICE, population, "auto",
       "auto, flat, gaussian, mixture, wide",
       "Distribution of the true inputs before they are measured: flat (no value is much likelier than "
       "another), or learned as one Gaussian, as a mixture of several, or as a wide mixture, with four times "
       "the learned covariances.",
       CHOICE, NAMES("auto", "flat", "gaussian", "mixture", "wide"), 0, 0, SHAPES, EVERYDAY)
OPTION(REAL, prior_variance, "1000",
       "1e-3 .. 1e9",
       "Variance of a flat population, in standard units.",
       REAL, NULL, 1e-3, 1e9, SHAPES, RESEARCH)
OPTION(CHOICE, missing, "auto",
       "auto, ignore",
       "auto: the model sees which cells are missing, in columns with enough of them; ignore: it does "
       "not.",
       CHOICE, NAMES("auto", "ignore"), 0, 0, SHAPES, EXPERT)
OPTION(CHOICE, warp, "auto",
       "auto, none",
       "Whether attributes with heavy tails are transformed by asinh.",
       CHOICE, NAMES("auto", "none"), 0, 0, SHAPES, EXPERT)
OPTION(CHOICE, views, "auto",
       "auto, one, panel",
       "one: one fit, which sees the rows as they are; panel: more fits that see them in other ways, such as "
       "with the sizes of errors as attributes, and weights that depend on the row; for a number, mixtures of "
       "Gaussians over attributes and target beside it.",
       CHOICE, NAMES("auto", "one", "panel"), 0, 0, SHAPES, EXPERT)
OPTION(REAL, jitter, "1e-6",
       "1e-12 .. 1e-2",
       "Added to the diagonal of covariance matrices, relative to the kernel's variance.",
       REAL, NULL, 1e-12, 1e-2, SHAPES, RESEARCH)
OPTION(WHOLE, whiten, "1",
       "0 or 1",
       "Whether training moves the posterior of the inducing values in units of their prior (1) or as it is "
       "(0). Both describe the same distributions, but Adam's steps are different.",
       FLAG, NAMES("0", "1"), 0, 1, SHAPES, RESEARCH)
OPTION(REAL, white_start, "0",
       "0 .. 100",
       "Initial variance of the latent functions' white noise.",
       REAL, NULL, 0, 100, SHAPES, RESEARCH)
OPTION(WHOLE, standardise, "1",
       "0 or 1",
       "Whether attributes are scaled to mean 0 and standard deviation 1.",
       FLAG, NAMES("0", "1"), 0, 1, SHAPES, RESEARCH)
OPTION(WHOLE, seed, "0",
       "0 .. 2^53",
       "Seed of the random numbers; the same seed gives the same result.",
       WHOLE, NULL, 0, 9007199254740992.0, SHAPES, EVERYDAY)
OPTION(WHOLE, threads, "0",
       "0 .. 1024",
       "Number of threads; 0: one per processor. Results do not depend on it.",
       WHOLE, NULL, 0, 1024, RUNS, EVERYDAY)
/* clang-format on */
