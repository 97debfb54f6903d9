export { tracesIn } from './traces.ts'
