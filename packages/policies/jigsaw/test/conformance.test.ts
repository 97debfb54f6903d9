import { policySuite } from '@cloister/placement/testing'
import { jigsaw } from '../src/index.ts'

policySuite(jigsaw, { configs: [{}, { order: 'sparsest-first' }, { leafJobsHoldUplinks: true }, { maxSteps: 3 }] })
