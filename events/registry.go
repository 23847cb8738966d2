package events

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unknown is the data of an event whose type this version does not know. It
// keeps the bytes, so that they are written back as they were.
type Unknown struct {
	Type string
	Raw  jsontext.Value
}

// EventType is the stored type.
func (u Unknown) EventType() string { return u.Type }

// decoders maps a stored type to the decoder of its data.
var decoders = map[string]func(jsontext.Value) (Data, error){
	TypeRunStarted:        decodeAs[RunStarted],
	TypeRunSuspended:      decodeAs[RunSuspended],
	TypeLimitWaiting:      decodeAs[LimitWaiting],
	TypeLimitLifted:       decodeAs[LimitLifted],
	TypeStopRequested:     decodeAs[StopRequested],
	TypeRunHalted:         decodeAs[RunHalted],
	TypeRunResumed:        decodeAs[RunResumed],
	TypeRunEnded:          decodeAs[RunEnded],
	TypeIterationStarted:  decodeAs[IterationStarted],
	TypeAgentEnded:        decodeAs[AgentEnded],
	TypeGatesStarted:      decodeAs[GatesStarted],
	TypeGatesJudged:       decodeAs[GatesJudged],
	TypeIterationRecorded: decodeAs[IterationRecorded],
	TypePhaseEntered:      decodeAs[PhaseEntered],
	TypeRoleStarted:       decodeAs[RoleStarted],
	TypeRoleEnded:         decodeAs[RoleEnded],
	TypeQuestionAsked:     decodeAs[QuestionAsked],
	TypeQuestionAnswered:  decodeAs[QuestionAnswered],
	TypeQuestionExpired:   decodeAs[QuestionExpired],
	TypeAgentEscalated:    decodeAs[AgentEscalated],
	TypeWorkPublished:     decodeAs[WorkPublished],
	TypeSessionJoined:     decodeAs[SessionJoined],
	TypeSessionLeft:       decodeAs[SessionLeft],
	TypeForeignSeen:       decodeAs[ForeignSeen],
	TypeModeSelected:      decodeAs[ModeSelected],
	TypeResourcesJudged:   decodeAs[ResourcesJudged],
	TypeConfigTrusted:     decodeAs[ConfigTrusted],
	TypeWorkspaceRestored: decodeAs[WorkspaceRestored],
	TypeRunErased:         decodeAs[RunErased],
	TypeTextsPruned:       decodeAs[TextsPruned],
	TypeWorktreePruned:    decodeAs[WorktreePruned],
	TypeLogRolled:         decodeAs[LogRolled],
	TypeBundleImported:    decodeAs[BundleImported],
	TypeAccountLimited:    decodeAs[AccountLimited],
	TypeAccountRefused:    decodeAs[AccountRefused],
	TypeAccountWorked:     decodeAs[AccountWorked],
	TypePeerJoined:        decodeAs[PeerJoined],
	TypePeerLeft:          decodeAs[PeerLeft],
	TypePeerMessaged:      decodeAs[PeerMessaged],
	TypePeerRead:          decodeAs[PeerRead],
	TypeClaimAcquired:     decodeAs[ClaimAcquired],
	TypeClaimRenewed:      decodeAs[ClaimRenewed],
	TypeClaimReleased:     decodeAs[ClaimReleased],
	TypeClaimExpired:      decodeAs[ClaimExpired],
	TypeClaimForced:       decodeAs[ClaimForced],
	TypeQueueCreated:      decodeAs[QueueCreated],
	TypeQueueOpened:       decodeAs[QueueOpened],
	TypeQueueClosed:       decodeAs[QueueClosed],
	TypeItemsAdded:        decodeAs[ItemsAdded],
	TypeItemRemoved:       decodeAs[ItemRemoved],
	TypeItemStarted:       decodeAs[ItemStarted],
	TypeItemEnded:         decodeAs[ItemEnded],
	TypeItemRetried:       decodeAs[ItemRetried],
	TypeBlockerFound:      decodeAs[BlockerFound],
	TypeLandingStarted:    decodeAs[LandingStarted],
	TypeLandingEnded:      decodeAs[LandingEnded],
}

// Upcaster turns the data of a retired type into the data of its successor.
type Upcaster struct {
	To   string
	Data func(jsontext.Value) (jsontext.Value, error)
}

// upcasters maps a retired type to the step to its next version. Steps are
// chained until a current type is reached. It is empty as long as no released
// type has changed.
var upcasters = map[string]Upcaster{}

func decodeAs[T Data](raw jsontext.Value) (Data, error) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, errors.New(JSONMistake(err))
	}
	return v, nil
}

// payload is what is written as data: an unknown type as it was read.
func payload(d Data) any {
	if u, ok := d.(Unknown); ok {
		return u.Raw
	}
	return d
}

func decodeData(typ string, raw jsontext.Value) (Data, error) {
	return decodeWith(decoders, upcasters, typ, raw)
}

func decodeWith(dec map[string]func(jsontext.Value) (Data, error), up map[string]Upcaster, typ string, raw jsontext.Value) (Data, error) {
	if typ == "" {
		return nil, errors.New("no type")
	}
	if len(raw) == 0 {
		return nil, errors.New("no data")
	}
	known, current := typ, raw
	for {
		step, ok := up[known]
		if !ok {
			break
		}
		next, err := step.Data(current)
		if err != nil {
			return nil, err
		}
		known, current = step.To, next
	}
	decode, ok := dec[known]
	if !ok {
		return Unknown{Type: typ, Raw: raw}, nil
	}
	return decode(current)
}
