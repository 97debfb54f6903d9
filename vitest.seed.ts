// Random tests draw from the seed in CLOISTER_SEED, else from seed 1: every run of a commit makes the same draws.
// `npm test -- --draw` draws a seed and prints it.
import { configureGlobal, readConfigureGlobal } from 'fast-check'

const { CLOISTER_SEED: seed = '1' } = process.env
if (!/^-?\d{1,10}$/.test(seed)) throw new Error(`CLOISTER_SEED is '${seed}'; it has to be a whole number such as 42.`)
configureGlobal({ ...readConfigureGlobal(), seed: Number(seed) })
