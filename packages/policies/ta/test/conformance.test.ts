import { policySuite } from '@cloister/placement/testing'
import { ta } from '../src/index.ts'

policySuite(ta, { configs: [{}, { wholeLeaves: true, wholePods: true, podsFirst: 'fewest-free' }] })
