import { twoHalves } from '../two-halves.ts'

/** Never looks whether the links to the spines are free. */
export default twoHalves({ name: 'shares-spine-links', isSpineFree: () => true })
