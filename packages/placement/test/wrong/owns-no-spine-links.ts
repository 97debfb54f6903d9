import { twoHalves } from '../two-halves.ts'

/** Jobs in two pods own the links of their leaves, and none between the pods. */
export default twoHalves({ name: 'owns-no-spine-links', spinePorts: () => [] })
