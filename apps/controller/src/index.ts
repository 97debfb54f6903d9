export { type Act } from './decide/acts.ts'
export { DrivenLog } from './decide/driven-log.ts'
export { Driver } from './decide/driver.ts'
export { HANDED_BACK, MARK, type Sight } from './decide/sight.ts'
