import type { Handlers } from '../handler.ts'
import { accessList } from './access-list.ts'
import { accessGrant } from './access-grant.ts'
import { accessRevoke } from './access-revoke.ts'
import { accessExplain } from './access-explain.ts'
import { accessHolders } from './access-holders.ts'
import { groups } from './groups.ts'
import { groupCreate } from './group-create.ts'
import { groupUpdate } from './group-update.ts'
import { groupDelete } from './group-delete.ts'
import { groupMembers } from './group-members.ts'
import { roles } from './roles.ts'
import { roleSet } from './role-set.ts'
import { roleDelete } from './role-delete.ts'
import { stageProtect } from './stage-protect.ts'
import { tokenRotate } from './token-rotate.ts'
import { sessionConfirm } from './session-confirm.ts'
import { attributes } from './attributes.ts'
import { attention } from './attention.ts'
import { audit } from './audit.ts'
import { chance } from './chance.ts'
import { changeAbort } from './change-abort.ts'
import { changeApply } from './change-apply.ts'
import { changeEdit } from './change-edit.ts'
import { changeList } from './change-list.ts'
import { changePause } from './change-pause.ts'
import { changePropose } from './change-propose.ts'
import { changeReschedule } from './change-reschedule.ts'
import { changeResume } from './change-resume.ts'
import { changeReveal } from './change-reveal.ts'
import { changeReview } from './change-review.ts'
import { changeShow } from './change-show.ts'
import { changeSkip } from './change-skip.ts'
import { changeWithdraw } from './change-withdraw.ts'
import { copy } from './copy.ts'
import { deviceComplete } from './device-complete.ts'
import { deviceDeny } from './device-deny.ts'
import { devicePoll } from './device-poll.ts'
import { deviceShow } from './device-show.ts'
import { deviceStart } from './device-start.ts'
import { digests } from './digests.ts'
import { evaluateBatch } from './evaluate-batch.ts'
import { evaluate } from './evaluate.ts'
import { explain } from './explain.ts'
import { events } from './events.ts'
import { history } from './history.ts'
import { plainHistory } from './plain-history.ts'
import { keyCreate } from './key-create.ts'
import { keyList } from './key-list.ts'
import { keyRevoke } from './key-revoke.ts'
import { list } from './list.ts'
import { logout } from './logout.ts'
import { manifest } from './manifest.ts'
import { organizationDelete } from './organization-delete.ts'
import { signInRules, signInRulesSet } from './sign-in-rules.ts'
import { organizationUpdate } from './organization-update.ts'
import { organization } from './organization.ts'
import { pins } from './pins.ts'
import { plain } from './plain.ts'
import { projectCreate } from './project-create.ts'
import { projectUpdate } from './project-update.ts'
import { projects } from './projects.ts'
import { pull } from './pull.ts'
import { recentHistory } from './recent-history.ts'
import { restore } from './restore.ts'
import { reveal } from './reveal.ts'
import { rollCounts } from './roll-counts.ts'
import { roll } from './roll.ts'
import { rolls } from './rolls.ts'
import { trustCreate } from './trust-create.ts'
import { trustDelete } from './trust-delete.ts'
import { trustList } from './trust-list.ts'
import { trustTest } from './trust-test.ts'
import { trustUpdate } from './trust-update.ts'
import type { Services } from '../services.ts'
import { search } from './search.ts'
import { sessionList } from './session-list.ts'
import { sessionRevoke } from './session-revoke.ts'
import { session } from './session.ts'
import { stageCreate } from './stage-create.ts'
import { projectDelete } from './project-delete.ts'
import { stageDelete } from './stage-delete.ts'
import { stageOrder } from './stage-order.ts'
import { stageUpdate } from './stage-update.ts'
import { tokenCreate } from './token-create.ts'
import { tokenList } from './token-list.ts'
import { tokenRefresh } from './token-refresh.ts'
import { tokenRevoke } from './token-revoke.ts'
import { usageCallers } from './usage-callers.ts'
import { usage } from './usage.ts'
import { webSettings } from './web-settings.ts'
import { webSignIn } from './web-sign-in.ts'
import { webToken } from './web-token.ts'
import { whoami } from './whoami.ts'
import { write } from './write.ts'

/** Returns the handlers of the organization and its rules of sign-in. */
function organizationHandlers(services: Services) {
  return {
    organization: organization(services),
    organizationUpdate: organizationUpdate(services),
    organizationDelete: organizationDelete(services),
    signInRules: signInRules(services),
    signInRulesSet: signInRulesSet(services),
  }
}

/** Returns the handlers of what is about who may do what. */
function accessHandlers(services: Services) {
  return {
    accessList: accessList(services),
    accessGrant: accessGrant(services),
    accessRevoke: accessRevoke(services),
    accessExplain: accessExplain(services),
    accessHolders: accessHolders(services),
    groups: groups(services),
    groupCreate: groupCreate(services),
    groupUpdate: groupUpdate(services),
    groupDelete: groupDelete(services),
    groupMembers: groupMembers(services),
    roles: roles(services),
    roleSet: roleSet(services),
    roleDelete: roleDelete(services),
    stageProtect: stageProtect(services),
  }
}

/** Returns the handlers of proposed changes. */
function changeHandlers(services: Services) {
  return {
    changePropose: changePropose(services),
    changeList: changeList(services),
    changeShow: changeShow(services),
    changeReveal: changeReveal(services),
    changeEdit: changeEdit(services),
    changeReview: changeReview(services),
    changeApply: changeApply(services),
    changeWithdraw: changeWithdraw(services),
    changePause: changePause(services),
    changeResume: changeResume(services),
    changeSkip: changeSkip(services),
    changeAbort: changeAbort(services),
    changeReschedule: changeReschedule(services),
  }
}

function machineHandlers(services: Services) {
  return {
    tokenCreate: tokenCreate(services),
    tokenList: tokenList(services),
    tokenRotate: tokenRotate(services),
    tokenRevoke: tokenRevoke(services),
    trustCreate: trustCreate(services),
    trustList: trustList(services),
    trustUpdate: trustUpdate(services),
    keyCreate: keyCreate(services),
    keyList: keyList(services),
    keyRevoke: keyRevoke(services),
    trustDelete: trustDelete(services),
    trustTest: trustTest(services),
  }
}

/** Returns the handlers of the API. A missing handler, or one whose type differs from the contract, does not compile. */
export function createHandlers(services: Services): Handlers {
  return {
    evaluate: evaluate(services),
    evaluateBatch: evaluateBatch(services),
    pull: pull(services),
    list: list(services),
    write: write(services),
    chance: chance(services),
    roll: roll(services),
    pins: pins(services),
    explain: explain(services),
    attributes: attributes(services),
    copy: copy(services),
    reveal: reveal(services),
    plain: plain(services),
    manifest: manifest(services),
    digests: digests(services),
    history: history(services),
    plainHistory: plainHistory(services),
    recentHistory: recentHistory(services),
    restore: restore(services),
    rollCounts: rollCounts(services),
    rolls: rolls(services),
    audit: audit(services),
    projects: projects(services),
    projectCreate: projectCreate(services),
    projectUpdate: projectUpdate(services),
    stageCreate: stageCreate(services),
    stageOrder: stageOrder(services),
    stageDelete: stageDelete(services),
    projectDelete: projectDelete(services),
    stageUpdate: stageUpdate(services),
    sessionConfirm: sessionConfirm(services),
    ...organizationHandlers(services),
    ...accessHandlers(services),
    ...machineHandlers(services),
    ...changeHandlers(services),
    usage: usage(services),
    usageCallers: usageCallers(services),
    attention: attention(services),
    search: search(services),
    events: events(services),
    whoami: whoami(services),
    deviceStart: deviceStart(services),
    deviceComplete: deviceComplete(services),
    deviceShow: deviceShow(services),
    deviceDeny: deviceDeny(services),
    devicePoll: devicePoll(services),
    tokenRefresh: tokenRefresh(services),
    logout: logout(services),
    sessionList: sessionList(services),
    sessionRevoke: sessionRevoke(services),
    session: session(services),
    webSettings: webSettings(services),
    webSignIn: webSignIn(services),
    webToken: webToken(services),
  }
}
