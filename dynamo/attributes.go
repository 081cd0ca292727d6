package dynamo

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// item is a row of the table as the SDK holds it.
type item = map[string]types.AttributeValue

func itoa(n int) string { return strconv.Itoa(n) }

func avS(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func avB(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }
func avN(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
func avBool(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

// The getters return the zero value for an attribute that is missing or of another type.

func getS(m item, name string) string {
	if v, ok := m[name].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

func getB(m item, name string) []byte {
	if v, ok := m[name].(*types.AttributeValueMemberB); ok {
		return v.Value
	}
	return nil
}

func getN(m item, name string) int64 {
	if v, ok := m[name].(*types.AttributeValueMemberN); ok {
		n, _ := strconv.ParseInt(v.Value, 10, 64)
		return n
	}
	return 0
}

func getBool(m item, name string) bool {
	v, ok := m[name].(*types.AttributeValueMemberBOOL)
	return ok && v.Value
}

func getM(m item, name string) item {
	if v, ok := m[name].(*types.AttributeValueMemberM); ok {
		return v.Value
	}
	return nil
}

func getL(m item, name string) []types.AttributeValue {
	if v, ok := m[name].(*types.AttributeValueMemberL); ok {
		return v.Value
	}
	return nil
}

func keyItem(k Key) item { return item{attrPK: avS(k.PK), attrSK: avS(k.SK)} }

func keyOf(m item) Key { return Key{PK: getS(m, attrPK), SK: getS(m, attrSK)} }
