import { soak } from './src/soak.ts'
const [seed, jobs] = process.argv.slice(2).map(Number)
const t = Date.now()
const r = await soak({
  minutes: 10,
  jobs,
  seed,
  jobsAMinute: 60,
  calm: 1,
  slack: 3,
  onProgress: (l) => console.error(seed, l),
})
console.log(
  seed,
  ((Date.now() - t) / 1000).toFixed(0) + ' s',
  process.resourceUsage().userCPUTime / 1e6,
  JSON.stringify(r),
)
