/**
 * The use cases of accounts, websites, sessions and tokens, for HTTP and the command line alike: each checks its input, hashes
 * passwords, commits a record, and turns the outcome into a result or a Refusal. Bodies are parsed JSON of any shape.
 * There is no status code here but a Refusal's, no cookie and no header.
 */
export type { Caller } from "./caller.ts";
export {
  authenticate,
  endSession,
  login,
  logout,
  renewSession,
  type Authenticated,
  type Client,
  type Login,
  type RequestOrigin,
} from "./sessions.ts";
export { exported, type ExportAsked } from "./export.ts";
export { addGoal, goalOf } from "./website/goals.ts";
export { addNote, changeNote } from "./website/notes.ts";
export {
  addLink,
  findLink,
  grantLink,
  openLink,
  removeLink,
  type LinkSecret,
  type NewLink,
} from "./website/links.ts";
export {
  acceptInvitation,
  changeMember,
  invite,
  removeInvitation,
  removeMember,
  type NewInvitation,
} from "./website/members.ts";
export {
  confirmAddress,
  leave,
  recipientToConfirm,
  recipientToLeave,
  removeAddress,
} from "./website/recipients.ts";
export { addFunnel } from "./website/funnels.ts";
export { removeListed } from "./website/listed-entries.ts";
export { expectRoomForFile } from "./website/room-of-account.ts";
export { removeImported } from "./remove-imported.ts";
export { removeRows } from "./remove-rows.ts";
export { changeRules } from "./website/rules.ts";
export { addSegment } from "./website/segments.ts";
export { addSecondFactor, offerSecondFactor, removeSecondFactor, takeSecondFactor } from "./second-factor.ts";
export { SetUp } from "./set-up.ts";
export {
  addToken,
  callerByToken,
  maySend,
  noteUse,
  removeToken,
  tokenOf,
  tokenPrefix,
  type NewApiToken,
} from "./tokens.ts";
export { addSubscription, ofKinds, removeSubscription } from "./website/subscriptions.ts";
export { addUser, changePassword, changeUser, deleteUser, type Guarded } from "./users.ts";
export { assertHasVisits } from "./needs-visits.ts";
export { addWebsite, aliasesMax, changeWebsite, removeWebsite, websiteFor } from "./websites.ts";
