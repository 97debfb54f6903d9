import { policySuite } from '@cloister/placement/testing'
import { leastConstrained } from '../src/index.ts'

policySuite(leastConstrained, { configs: [{}, { maxSteps: 'unlimited' }, { maxSteps: 3 }, { sharing: { capacity: 4000 } }, { maxSteps: 'unlimited', sharing: { capacity: 1000 } }] })
