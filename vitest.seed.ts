// Random tests draw from the seed of CLOISTER_SEED where it is set, so that a run of CI can be made again; else from another at each run.
const { CLOISTER_SEED: seed } = process.env
if (seed !== undefined) {
  if (!/^-?\d{1,10}$/.test(seed)) throw new Error(`CLOISTER_SEED is '${seed}'; it has to be a whole number such as 42.`)
  const { configureGlobal, readConfigureGlobal } = await import('fast-check')
  configureGlobal({ ...readConfigureGlobal(), seed: Number(seed) })
}

export {}
