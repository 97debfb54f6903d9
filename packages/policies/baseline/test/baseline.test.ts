import { policySuite } from '@cloister/placement/testing'
import { baseline } from '../src/index.ts'

policySuite(baseline)
