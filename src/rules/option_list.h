/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of all options, from which come their structure (options.h), their table (options.c),
 * and with it all texts. A new option is one entry here, its rule in rules.c if the library chooses
 * it, and its use. It is included where OPTION is defined:
 *
 *     OPTION(kind of the member, name, default, values, role, tier, help)
 *
 * The values are RANGE(least, most), AUTO_OR(least, most), ON_OFF, ONE_OF_2("a", "b") and so on,
 * PARTS(list) or, where people read them better in other words, LIMITS("words", least, most).
 */
/* clang-format off */
OPTION(KERNEL, kernel, "auto", PARTS(kernel), SHAPES, EVERYDAY,
       "Kernel of the latent functions, which sets how smooth they are; se is the squared exponential; "
       "a sum adds a linear function to a nonlinear one.")
OPTION(WHOLE, degree, "3", RANGE(1, 64), SHAPES, EXPERT,
       "Degree of the polynomial kernel.")
OPTION(LIKELIHOOD, likelihood, "robust_max", PARTS(likelihood), SHAPES, EVERYDAY,
       "What the target is and how it depends on the latent functions.")
OPTION(REAL, lowest, "-inf", LIMITS("-inf .. inf", -HUGE_VAL, HUGE_VAL), SHAPES, EXPERT,
       "Numbers: y is above this bound, and so is all that is predicted. The logarithm of the distance from it "
       "is learned; 0 is for positive numbers.")
OPTION(REAL, highest, "inf", LIMITS("-inf .. inf", -HUGE_VAL, HUGE_VAL), SHAPES, EXPERT,
       "Numbers: y is below this bound. With both bounds a logit is learned.")
OPTION(INPUT, input, "auto", PARTS(input), SHAPES, EVERYDAY,
       "How the error bars of the inputs are used: marginal averages over the possible true inputs; latent "
       "infers the true inputs of each training row; amortised infers them with a network; first order uses "
       "the slope of the functions; exact ignores the error bars; the others are baselines.")
OPTION(CHOICE, noise, "given", ONE_OF_3("given", "learned", "both"), SHAPES, EVERYDAY,
       "Variance of the input noise: from the given errors, one learned variance per attribute, or "
       "the sum of both.")
OPTION(REAL, noise_start, "0", RANGE(0, 100), SHAPES, RESEARCH,
       "Initial value of a learned noise variance, relative to the attribute's variance.")
OPTION(WHOLE, classes, "0", LIMITS("0, or 2 .. 10000", 0, 10000), SHAPES, EXPERT,
       "Number of classes; 0: one more than the largest label.")
OPTION(WHOLE, functions, "0", RANGE(0, 1000), SHAPES, EXPERT,
       "Number of latent functions that the labels share (multilabel); 0: one per label, at most 8.")
OPTION(WHOLE, inducing, "0", RANGE(0, 10000), SHAPES, EVERYDAY,
       "Inducing inputs per latent function: the points between which a function is interpolated.")
OPTION(REAL, alpha, "auto", AUTO_OR(0, 1), SHAPES, EXPERT,
       "What training maximises: 0 is the evidence lower bound, 1 is the log of the predicted "
       "probability, and a number between them is a compromise (a power divergence).")
OPTION(REAL, caution, "auto", AUTO_OR(0.001, 1), SHAPES, EXPERT,
       "Weight of the divergence of the latent functions from their prior; a smaller weight trusts "
       "the data more.")
OPTION(REAL, lengthscale_prior, "auto", AUTO_OR(0, 10), SHAPES, EXPERT,
       "Width of a log-normal prior of the lengthscales, centred at 1.6 times the square root of the "
       "number of attributes; 0: no prior.")
OPTION(REAL, epsilon, "0.001", RANGE(1e-9, 0.5), SHAPES, EXPERT,
       "Share of wrong labels, for the robust-max likelihood.")
OPTION(FLAG, learn_epsilon, "0", ON_OFF, SHAPES, EXPERT,
       "Whether the share of wrong labels is learned, starting at epsilon.")
OPTION(WHOLE, epochs, "0", RANGE(0, 1000000), TRAINS, EVERYDAY,
       "Passes over the data: the maximum with stop=auto, the exact number with stop=fixed.")
OPTION(WHOLE, warm_up, "1000", RANGE(0, 1000000000), TRAINS, EXPERT,
       "Number of first steps in which the random draws of noisy inputs grow to their full width.")
OPTION(CHOICE, stop, "auto", ONE_OF_2("auto", "fixed"), TRAINS, EXPERT,
       "auto: stop when the bound no longer improves; fixed: stop after the given number of epochs, "
       "with a constant step size.")
OPTION(WHOLE, batch, "0", RANGE(0, 1000000), TRAINS, EXPERT,
       "Rows in a minibatch.")
OPTION(CHOICE, last_batch, "even", ONE_OF_2("even", "rest"), TRAINS, RESEARCH,
       "even: the minibatches of an epoch have one size; rest: all but the last are full, and the last has "
       "the remaining rows.")
OPTION(CHOICE, row_steps, "visited", ONE_OF_2("visited", "always"), TRAINS, RESEARCH,
       "When Adam moves the parameters of a single row, with latent inputs. visited: in steps whose minibatch "
       "has the row; always: in every step, with gradient zero if the minibatch does not have the row.")
OPTION(REAL, rate, "auto", AUTO_OR(1e-8, 1), TRAINS, EXPERT,
       "Step size of Adam.")
OPTION(CHOICE, precision, "auto", ONE_OF_3("auto", "double", "single"), TRAINS, EXPERT,
       "Precision of the large products of matrices in a training step; sums, factorisations and "
       "parameters are always double.")
OPTION(REAL, lengthscale_rate, "1", RANGE(1e-3, 1), TRAINS, RESEARCH,
       "Step size of the logarithms of lengthscales, relative to rate. 0.5 gives the logarithms of squared "
       "lengthscales the same step size as all other parameters.")
OPTION(CHOICE, calibrate, "auto", ONE_OF_2("auto", "none"), TRAINS, EVERYDAY,
       "auto: calibrate by cross-validation: the probabilities of classes and levels with a temperature and "
       "offsets, sets of classes and intervals of numbers by ranks of held-out rows; none: do not.")
OPTION(CHOICE, novelty, "auto", ONE_OF_2("auto", "always"), TRAINS, EVERYDAY,
       "When the model learns how unusual a row is. auto: if it learns a population of true inputs; "
       "always: in any case.")
OPTION(WHOLE, samples, "0", RANGE(0, 1000), SHAPES, EXPERT,
       "Points at which each row is evaluated in a training step.")
OPTION(WHOLE, points, "0", RANGE(0, 65536), PREDICTS, EXPERT,
       "Quasi-random points over which the prediction of a noisy row is averaged.")
OPTION(REAL, tolerance, "0.002", RANGE(0.0001, 0.1), PREDICTS, EXPERT,
       "Accuracy of the predicted probabilities of noisy rows if points is 0: nearly all of them differ by "
       "less than this from the average over all possible true inputs. Parts of an entropy are less accurate: "
       "about 0.015 nats at the default.")
OPTION(WHOLE, layers, "2", RANGE(1, 6), SHAPES, EXPERT,
       "Hidden layers of the network of amortised inputs.")
OPTION(WHOLE, units, "50", RANGE(1, 4096), SHAPES, EXPERT,
       "Width of each hidden layer of the network of amortised inputs.")
OPTION(CHOICE, population, "auto", ONE_OF_5("auto", "flat", "gaussian", "mixture", "wide"), SHAPES, EVERYDAY,
       "Distribution of the true inputs before they are measured: flat (no value is much likelier than "
       "another), or learned as one Gaussian, as a mixture of several, or as a wide mixture, with four times "
       "the learned covariances.")
OPTION(REAL, prior_variance, "1000", RANGE(1e-3, 1e9), SHAPES, RESEARCH,
       "Variance of a flat population, in standard units.")
OPTION(CHOICE, missing, "auto", ONE_OF_2("auto", "ignore"), SHAPES, EXPERT,
       "auto: the model sees which cells are missing, in columns with enough of them; ignore: it does "
       "not.")
OPTION(CHOICE, warp, "auto", ONE_OF_2("auto", "none"), SHAPES, EXPERT,
       "Whether attributes with heavy tails are transformed by asinh.")
OPTION(CHOICE, views, "auto", ONE_OF_3("auto", "one", "panel"), SHAPES, EXPERT,
       "one: one fit, which sees the rows as they are; panel: more fits that see them in other ways, such as "
       "with the sizes of errors as attributes, and weights that depend on the row; for a number, mixtures of "
       "Gaussians over attributes and target beside it.")
OPTION(REAL, jitter, "1e-6", RANGE(1e-12, 1e-2), SHAPES, RESEARCH,
       "Added to the diagonal of covariance matrices, relative to the kernel's variance.")
OPTION(FLAG, whiten, "1", ON_OFF, SHAPES, RESEARCH,
       "Whether training moves the posterior of the inducing values in units of their prior (1) or as it is "
       "(0). Both describe the same distributions, but Adam's steps are different.")
OPTION(REAL, white_start, "0", RANGE(0, 100), SHAPES, RESEARCH,
       "Initial variance of the latent functions' white noise.")
OPTION(FLAG, standardise, "1", ON_OFF, SHAPES, RESEARCH,
       "Whether attributes are scaled to mean 0 and standard deviation 1.")
OPTION(WHOLE, seed, "0", LIMITS("0 .. 2^53", 0, 9007199254740992.0), SHAPES, EVERYDAY,
       "Seed of the random numbers; the same seed gives the same result.")
OPTION(WHOLE, threads, "0", RANGE(0, 1024), RUNS, EVERYDAY,
       "Number of threads; 0: one per processor. Results do not depend on it.")
/* clang-format on */
