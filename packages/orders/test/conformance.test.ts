import { orderSuite } from '@cloister/ordering/testing'
import { fairShare, orders } from '../src/index.ts'

for (const order of orders.values()) orderSuite(order)
// An era of the sums has 512 half-lives, and the histories have thousands of half-lives.
orderSuite(fairShare, { config: { halfLifeHours: 0.25, maxAgeHours: 1, shareWeight: 5 } })
