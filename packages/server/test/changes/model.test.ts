/**
 * Random histories of proposals, edits, reviews, roles, clocks and restarts against a model that shares no code with the service. The
 * model knows what each person last said about which content, and so whether each application must succeed.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Verdict, WriteEntry } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { Access } from '../../src/access/access.ts'
import { Permissions } from '../../src/access/permissions.ts'
import { ApiError } from '../../src/base/api-error.ts'
import { Applier } from '../../src/changes/apply.ts'
import { Changes } from '../../src/changes/changes.ts'
import { Declarations } from '../../src/declarations/declarations.ts'
import { Drafts } from '../../src/changes/drafts.ts'
import { ChangeReader } from '../../src/changes/reader.ts'
import { retryUntilFresh, singleWriter } from '../../src/consistency/read-validator.ts'
import { Digests } from '../../src/evaluation/digests.ts'
import { RestoreChange } from '../../src/history/restore-change.ts'
import type { StageRef } from '../../src/stages/stages.ts'
import { deleteGrant, putGrant, setProtected } from '../../src/storage/access.ts'
import type { Actor } from '../../src/storage/actor.ts'
import { changeValuesOf } from '../../src/storage/changes.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { CopyChange } from '../../src/variables/changes/copy.ts'
import { UpdateChange } from '../../src/variables/changes/updates.ts'
import type { TestClock } from '../../testkit/clock.ts'
import { isLong } from '../../testkit/long.ts'
import { Random } from '../../testkit/random.ts'
import { abRoll, newNode, newStore, secret, startMs, type Node } from '../stages/node.ts'
import { silent } from '../storage/temporary.ts'

const people = ['ada', 'bob', 'carl', 'dora', 'eve']
const place = { projectSlug: 'shop', stageSlug: 'live' }
const minuteMs = 60_000

interface Freeze {
  readonly fromMs: number
  readonly toMs: number
}

/** What the model knows of a change. */
interface Proposal {
  readonly id: string
  readonly proposer: string
  digest: string
  /** Everything that is proposed, as a text. */
  content: string
  values: Readonly<Record<string, string | null>>
  reason: string
  /** The model's count of writes when the proposal was based on the stage. */
  base: number
  applyAtMs: number | undefined
  isOpen: boolean
  /** What each person last said about each content. */
  readonly said: Map<string, { readonly content: string; readonly verdict: Verdict }[]>
}

class World {
  readonly #sql: Sql
  readonly #clock: TestClock
  readonly #random: Random
  readonly #ref: StageRef
  #access!: Access
  #changes!: Changes
  #applier!: Applier
  #node: Node
  readonly #reopen: () => Promise<Node>
  // The model.
  readonly #grants = new Map<string, { readonly role: string; readonly endMs: number }>()
  readonly #members = new Set(people)
  readonly #proposals: Proposal[] = []
  /** When each variable was last written, by the model's count of writes. */
  readonly #writtenAt = new Map<string, number>()
  readonly #stage = new Map<string, string>()
  #writes = 0
  #rules = { approvals: 1, selfApproval: false }
  #freezes: readonly Freeze[] = []
  readonly outcomes: string[] = []

  private constructor(
    sql: Sql,
    clock: TestClock,
    random: Random,
    orgId: string,
    node: Node,
    reopen: () => Promise<Node>,
  ) {
    this.#sql = sql
    this.#clock = clock
    this.#random = random
    this.#ref = { orgId, ...place }
    this.#node = node
    this.#reopen = reopen
  }

  static async open(
    sql: Sql,
    clock: TestClock,
    seed: number,
    { node, reopen }: { node: Node; reopen: () => Promise<Node> },
  ): Promise<World> {
    const orgId = `org_of_${seed}`
    await sql.tx((tx) => insertOrganization(tx, { id: orgId, idpOrgId: orgId, slug: orgId, nowMs: startMs }))
    const world = new World(sql, clock, new Random(seed), orgId, node, reopen)
    world.#connect(node)
    await world.#write({ A: 'a', B: 'b' }, [abRoll('R', 0.5)])
    await world.#protect()
    for (const person of people.slice(0, 3)) await world.#grant(person, 'releaser')
    return world
  }

  #connect(node: Node): void {
    const [sql, clock, log] = [this.#sql, this.#clock, silent]
    const { keyring, stages, writer } = node
    this.#node = node
    this.#access = new Access({ sql, clock, logicalClock: singleWriter.logicalClock })
    const drafts = new Drafts({
      keyring,
      copies: new CopyChange({ stages, log }),
      restores: new RestoreChange(sql),
      updates: new UpdateChange(log),
      declarations: new Declarations({ sql, clock, logicalClock: singleWriter.logicalClock }),
      maxBytes: 1_000_000,
      log,
    })
    const digests = new Digests({ keyring, log })
    const reader = new ChangeReader({ sql, stages, keyring, digests, clock, log })
    this.#changes = new Changes({ sql, stages, keyring, drafts, reader, clock })
    const roleOf = (_: string, user: string) => Promise.resolve(this.#members.has(user) ? 'member' : 'removed')
    this.#applier = new Applier({
      sql,
      access: this.#access,
      reader,
      keyring,
      writer,
      roleOf,
      clock,
      log,
    })
  }

  #actorOf(person: string): Actor {
    return { orgId: this.#ref.orgId, id: person, how: 'session', client: 'test', requestId: undefined }
  }

  async #as(person: string) {
    const policy = await retryUntilFresh(singleWriter, (reads) => this.#access.policyOf(this.#ref.orgId, reads))
    const permissions = Permissions.of({ userId: person }, policy, this.#clock.now())
    return { actor: this.#actorOf(person), permissions, isMachine: false, idpOrgId: this.#ref.orgId }
  }

  async #changeAccess(work: Parameters<Access['change']>[2]): Promise<void> {
    const { permissions } = await this.#as('ada')
    await this.#access.change(permissions.policy, this.#actorOf('ada'), work)
  }

  async #grant(person: string, role: string, forMs = Infinity): Promise<void> {
    const endMs = this.#clock.now() + forMs
    this.#grants.set(person, { role, endMs })
    const expiresAtMs = Number.isFinite(endMs) ? endMs : undefined
    const grant = { principal: `user:${person}`, place, role, expiresAtMs, nowMs: this.#clock.now(), by: 'ada' }
    await this.#changeAccess(async (tx) => {
      await putGrant(tx, this.#ref.orgId, grant)
      return []
    })
  }

  async #revoke(person: string): Promise<void> {
    this.#grants.delete(person)
    await this.#changeAccess(async (tx) => {
      await deleteGrant(tx, this.#ref.orgId, `user:${person}`, place)
      return []
    })
  }

  async #protect(): Promise<void> {
    const text = (ms: number): string => new Date(ms).toISOString().slice(0, 16)
    const freezes = this.#freezes.map(({ fromMs, toMs }) => ({ zone: 'UTC', from: text(fromMs), to: text(toMs) }))
    const rules = JSON.stringify({ ...this.#rules, bypassRole: null, stopVerb: 'write', freezes })
    await this.#changeAccess(async (tx) => {
      await setProtected(tx, this.#ref.orgId, place.projectSlug, place.stageSlug, true, rules)
      return []
    })
  }

  /** Writes values directly, as someone whom the protection does not stop. */
  async #write(values: Record<string, string>, rolls: WriteEntry[] = []): Promise<void> {
    await this.#node.write(
      { entries: [...Object.entries(values).map(([name, value]) => secret(name, value)), ...rolls] },
      this.#ref,
    )
    this.#written(values)
  }

  #written(values: Readonly<Record<string, string | null>>): void {
    this.#writes++
    for (const [name, value] of Object.entries(values)) {
      if (value === null) this.#stage.delete(name)
      else this.#stage.set(name, value)
      this.#writtenAt.set(name, this.#writes)
    }
  }

  #chance(percent: number): boolean {
    return this.#random.int(100) < percent
  }

  /** Returns something to propose: values, of which null deletes. */
  #newValues(): Record<string, string | null> {
    const names = ['A', 'B', 'C'].filter(() => this.#chance(50))
    const values = names.map((name) => {
      const deletes = this.#stage.has(name) && this.#chance(20)
      return [name, deletes ? null : `value ${this.#random.int(1_000)}`] as const
    })
    return values.length > 0 ? Object.fromEntries(values) : { A: `value ${this.#random.int(1_000)}` }
  }

  #requestOf(values: Readonly<Record<string, string | null>>) {
    const pairs = Object.entries(values)
    return {
      entries: pairs.flatMap(([name, value]) => (value === null ? [] : [secret(name, value)])),
      deletes: pairs.flatMap(([name, value]) => (value === null ? [name] : [])),
    }
  }

  static #contentOf({
    values,
    reason,
    base,
    applyAtMs,
  }: Pick<Proposal, 'values' | 'reason' | 'base' | 'applyAtMs'>): string {
    return createHash('sha256')
      .update(JSON.stringify([values, reason, base, applyAtMs]))
      .digest('hex')
  }

  /** Runs one random step. */
  async step(): Promise<void> {
    const steps: readonly (readonly [number, () => Promise<unknown>])[] = [
      [this.#proposals.some(({ isOpen }) => isOpen) ? 1 : 20, () => this.#propose()],
      [3, () => this.#edit()],
      [1, () => this.#reschedule()],
      [10, () => this.#review()],
      [7, () => this.#apply()],
      [1, () => this.#withdraw()],
      [3, () => this.#changeRole()],
      [2, () => this.#changeRules()],
      [1, () => this.#write({ [this.#random.pick(['A', 'B', 'X'])]: `direct ${this.#random.int(1_000)}` })],
      [2, () => this.#stepClock()],
      [1, async () => this.#connect(this.#chance(10) ? await this.#reopen() : this.#node)],
    ]
    let left = this.#random.int(steps.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, run] of steps) {
      if (left < weight) return void (await run())
      left -= weight
    }
  }

  /** Returns a proposal, mostly an open one. */
  #some(): Proposal | undefined {
    const open = this.#proposals.filter(({ isOpen }) => isOpen)
    const from = open.length > 0 && this.#chance(90) ? open : this.#proposals
    return from.length === 0 ? undefined : this.#random.pick(from)
  }

  async #propose(): Promise<void> {
    const proposer = this.#random.pick(people)
    const values = this.#newValues()
    const [reason, base] = [`reason ${this.#random.int(1_000)}`, this.#writes]
    const applyAtMs = this.#chance(10) ? this.#clock.now() + minuteMs : undefined
    const request = { reason, applyAtMs, ...this.#requestOf(values) }
    const { id, digest } = await this.#changes.propose(await this.#as(proposer), this.#ref, request)
    const known = { values, reason, base, applyAtMs }
    this.#proposals.push({
      id,
      proposer,
      digest,
      ...known,
      content: World.#contentOf(known),
      isOpen: true,
      said: new Map(),
    })
  }

  async #edit(): Promise<void> {
    const proposal = this.#some()
    if (!proposal) return
    const by = this.#chance(80) ? proposal.proposer : this.#random.pick(people)
    const isRebase = this.#chance(30)
    const values = isRebase ? proposal.values : this.#newValues()
    const reason = this.#chance(30) ? 'another reason' : proposal.reason
    const request = { id: proposal.id, reason, ...(isRebase ? { rebase: true as const } : this.#requestOf(values)) }
    const outcome = await this.#outcomeOf(async () => {
      const { digest } = await this.#changes.edit(await this.#as(by), this.#ref, request)
      this.#edited(proposal, { digest, values, reason, base: this.#writes })
    })
    assert.equal(outcome, by !== proposal.proposer ? 'FORBIDDEN' : proposal.isOpen ? 'ok' : 'CHANGE_CONFLICT')
  }

  #edited(proposal: Proposal, more: Partial<Proposal>): void {
    Object.assign(proposal, more)
    proposal.content = World.#contentOf(proposal)
  }

  async #reschedule(): Promise<void> {
    const proposal = this.#some()
    if (!proposal) return
    const applyAtMs = this.#chance(50) ? this.#clock.now() + this.#random.int(minuteMs) : undefined
    const request = { id: proposal.id, applyAtMs: applyAtMs ?? null }
    const outcome = await this.#outcomeOf(async () => {
      const { digest } = await this.#changes.reschedule(await this.#as(proposal.proposer), this.#ref, request)
      this.#edited(proposal, { digest, applyAtMs })
    })
    assert.equal(outcome, proposal.isOpen ? 'ok' : 'CHANGE_CONFLICT')
  }

  async #review(): Promise<void> {
    const proposal = this.#some()
    if (!proposal) return
    const by = this.#random.pick(people)
    const verdict: Verdict = this.#chance(85) ? 'approve' : 'reject'
    const digest = this.#chance(90) ? proposal.digest : 'of something else'
    const outcome = await this.#outcomeOf(async () => {
      await this.#changes.review(await this.#as(by), this.#ref, { id: proposal.id, digest, verdict })
      const said = proposal.said.get(by) ?? []
      proposal.said.set(by, [
        ...said.filter(({ content }) => content !== proposal.content),
        { content: proposal.content, verdict },
      ])
    })
    assert.equal(outcome, proposal.isOpen && digest === proposal.digest ? 'ok' : 'CHANGE_CONFLICT')
  }

  #mayApprove(person: string): boolean {
    const grant = this.#grants.get(person)
    return this.#members.has(person) && grant?.role === 'releaser' && this.#clock.now() < grant.endMs
  }

  /** Returns what must come of applying a proposal. */
  #expected(proposal: Proposal): string {
    const nowMs = this.#clock.now()
    if (!proposal.isOpen) return 'CHANGE_CONFLICT'
    if (proposal.applyAtMs !== undefined && nowMs < proposal.applyAtMs) return 'CHANGE_CONFLICT'
    const hasMoved = Object.keys(proposal.values).some((name) => (this.#writtenAt.get(name) ?? 0) > proposal.base)
    if (hasMoved) return 'REVISION_CONFLICT'
    if (this.#freezes.some(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs)) return 'STAGE_FROZEN'
    const verdicts = people
      .filter((person) => this.#mayApprove(person))
      .map((person) => [
        person,
        proposal.said.get(person)?.find(({ content }) => content === proposal.content)?.verdict,
      ])
    const approvers = verdicts.filter(
      ([person, verdict]) => verdict === 'approve' && (this.#rules.selfApproval || person !== proposal.proposer),
    )
    const isRejected = verdicts.some(([, verdict]) => verdict === 'reject')
    return approvers.length >= this.#rules.approvals && !isRejected ? 'ok' : 'APPROVAL_REQUIRED'
  }

  async #apply(): Promise<void> {
    const proposal = this.#some()
    if (!proposal) return
    const expected = this.#expected(proposal)
    const by = this.#random.pick(people)
    const outcome = await this.#outcomeOf(async () =>
      this.#applier.apply(await this.#as(by), this.#ref, { id: proposal.id }),
    )
    assert.equal(outcome, expected)
    this.outcomes.push(outcome)
    if (outcome === 'ok') {
      proposal.isOpen = false
      this.#written(proposal.values)
    }
    const { variables } = await this.#node.readAll(this.#ref)
    const secrets = Object.entries(variables).flatMap(([name, [value]]) => (name === 'R' ? [] : [[name, value]]))
    assert.deepEqual(Object.fromEntries(secrets), Object.fromEntries(this.#stage))
  }

  async #withdraw(): Promise<void> {
    const proposal = this.#some()
    if (!proposal) return
    const by = await this.#as(this.#random.pick(people))
    const outcome = await this.#outcomeOf(() => this.#changes.withdraw(by, this.#ref, proposal.id))
    assert.equal(outcome, proposal.isOpen ? 'ok' : 'CHANGE_CONFLICT')
    proposal.isOpen = false
  }

  async #changeRole(): Promise<void> {
    const person = this.#random.pick(people)
    switch (this.#random.int(5)) {
      case 0:
        return this.#revoke(person)
      case 1:
        return this.#grant(person, 'developer')
      case 2:
        return this.#grant(person, 'releaser', minuteMs)
      case 3:
        return void (this.#members.has(person) ? this.#members.delete(person) : this.#members.add(person))
      default:
        return this.#grant(person, 'releaser')
    }
  }

  async #changeRules(): Promise<void> {
    const thisMinute = Math.floor(this.#clock.now() / minuteMs) * minuteMs
    this.#rules = { approvals: this.#random.int(4), selfApproval: this.#chance(30) }
    this.#freezes = this.#chance(20) ? [{ fromMs: thisMinute - minuteMs, toMs: thisMinute + minuteMs }] : []
    await this.#protect()
  }

  #stepClock(): Promise<void> {
    this.#clock.advance(this.#random.pick([1, 1_000, minuteMs, 2 * minuteMs, -1_000, -minuteMs]))
    return Promise.resolve()
  }

  async #outcomeOf(work: () => Promise<unknown>): Promise<string> {
    try {
      await work()
      return 'ok'
    } catch (error) {
      if (error instanceof ApiError) return error.code
      throw error
    }
  }

  /** Checks that changes which are settled have no values left. */
  async checkEnd(): Promise<void> {
    for (const { id, isOpen } of this.#proposals) if (!isOpen) assert.deepEqual(await changeValuesOf(this.#sql, id), [])
  }
}

test('nothing is applied without the required approvals of exactly its content, and everything that has them is', async () => {
  const { sql, clock } = await newStore()
  const histories = isLong ? 10_000 : 500
  let node = await newNode(sql, clock)
  const reopen = async () => (node = await newNode(sql, clock))
  const outcomes: string[] = []
  for (let seed = 1; seed <= histories; seed++) {
    const world = await World.open(sql, clock, seed, { node, reopen })
    for (let step = 0; step < 25; step++) await world.step()
    await world.checkEnd()
    outcomes.push(...world.outcomes)
  }
  const counts = Object.groupBy(outcomes, (outcome) => outcome)
  for (const outcome of ['ok', 'APPROVAL_REQUIRED', 'CHANGE_CONFLICT', 'REVISION_CONFLICT', 'STAGE_FROZEN'])
    expect([outcome, counts[outcome]?.length ?? 0]).toEqual([
      outcome,
      expect.toSatisfy((count: number) => count > histories / 100),
    ])
})
